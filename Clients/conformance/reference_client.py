#!/usr/bin/env python3
"""The reference client: JSON lines in and out. An argument switches a fault on, for the kit to notice.

    reference_client.py [FAULT…]
"""
import asyncio
import json
import os
import sys

from reference.clock import Clock
from reference.mutants import MUTANTS
from reference.outbox import DiskFull, OutboxFull
from reference.store import Store

CAPABILITIES = ["reducer", "disk", "visibility", "reset"]


class Program:
    def __init__(self, faults):
        self.faults = set(faults)
        self._begin()

    def _begin(self):
        clock = Clock(lambda due, count: clock is self.clock and self._timers(due, count))
        self.store, self.clock, self._told = None, clock, None

    def _reset(self):
        """Begins as a new process does: nothing goes on of what was before."""
        if self.store:
            self.store.sender.stop()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        self._begin()

    def tell(self, kind, value):
        os.write(1, json.dumps({kind: value}, separators=(",", ":")).encode() + b"\n")

    def _timers(self, due, count):
        if (due, count) != self._told:
            self._told = due, count
            os.write(1, b'{"timer":%s,"count":%d}\n' % (json.dumps(due).encode(), count))

    async def run(self):
        self.tell("hello", {"protocol": 1, "name": "reference", "capabilities": CAPABILITIES, "faults": MUTANTS})
        reader = asyncio.StreamReader(limit=1 << 26)
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            self._take(json.loads(line))

    def _take(self, command):
        number, do = command.pop("id"), command.pop("do")
        done = {"done": number}
        if do == "flush" and self.store.ledger.entries:
            self.store.ledger.waiting.append(lambda: print(json.dumps(done), flush=True))
            return
        try:
            done |= getattr(self, "_" + do)(**command) or {}
        except (OutboxFull, DiskFull) as error:
            done["error"] = type(error).__name__
        os.write(1, json.dumps(done).encode() + b"\n")

    def _connect(self, **options):
        self.store = Store(self.clock, self.tell, self.faults, options)

    def _send(self, entry, action, ifMatch=None):
        self.store.send(entry, [action], ifMatch)

    def _sendAll(self, entry, actions, ifMatch=None):
        self.store.send(entry, actions, ifMatch)

    def _flush(self):
        pass

    def _observe(self):
        return {"value": self.store.ledger.told if self.store else None}

    def _setToken(self, token):
        self.store.set_token(token)

    def _signOut(self):
        self.store.close()
        self.store.outbox.sign_out()

    def _disk(self, isFull):
        self.store.outbox.is_full = isFull

    def _hide(self):
        self.store.connection.hide()

    def _show(self):
        self.store.connection.show_page()

    def _offline(self):
        self.store.connection.offline()

    def _online(self):
        self.store.connection.online()
        self.store.sender.hurry()

    def _advance(self, to):
        self.clock.advance(to)

    def _sleep(self, to):
        slept = to - self.clock.now
        self.clock.now = to
        if self.store:
            self.store.connection.woken(slept)
        self.clock.sleep(to)

    def _close(self):
        self.store.close()
        self.store = None


asyncio.run(Program(sys.argv[1:]).run())
