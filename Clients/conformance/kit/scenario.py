"""Runs a scenario: a list of steps, each a list with a verb and what it needs."""
import asyncio
import contextlib
import copy
import os
import pathlib

from . import expect, quiet
from .client import PATIENCE, Client, Tab
from .history import History
from .invariants import check
from .proxy import Proxy
from .server import Session
from .trace import Trace

TIMERS = 16  # of a client at a time
EVENTUALLY = 600_000  # virtual milliseconds in which a client must be equal to the server when a scenario ends


class Failed(Exception):
    """The client did not do as the scenario expects."""


class Run:
    """One server, one proxy, and the clients of a scenario."""

    def __init__(self, server, command, scenario, folder, patience=PATIENCE):
        self.server, self.command, self.scenario, self.folder = server, command, scenario, folder
        self.patience = patience
        self.trace = Trace()
        self.trace.clients = 1
        self.proxy = Proxy(server, self.trace)
        self.clients, self.entries = {}, {}
        self.client = None
        self.spares = []  # processes that first clients may have, and that go on with the next run
        self.acted = []  # what other clients have sent
        self.lines = None  # of the history, once the server has told its log
        self.options = {}
        self.variables = {}

    async def run(self):
        await self.proxy.start()
        try:
            self.session = await Session.create(self.server)
            self.trace.now = lambda: self.client.now if self.client else 0
            self.trace.heard = lambda item: self.client and self.client.wake()
            await self._enter("client")
            await self.steps()
            if self.scenario.get("ends", "agree") == "agree":
                await self._agree()
            if self.scenario.get("invariants", True):
                await self._check()
        finally:
            for client in self.clients.values():
                await client.close()
            await self.proxy.close()

    async def steps(self):
        for step in self.scenario["steps"]:
            await self._step(step)

    async def _enter(self, name):
        if name not in self.clients:
            self.clients[name] = client = Client(self.command, self.trace, name, self.patience)
            client.error, client.world = None, self._world
            self.entries[name] = {}
            self.trace.clients = len(self.clients)
            await client.start(self.spares)
        self.client = self.clients[name]

    async def _step(self, step):
        verb, *arguments = step
        try:
            await getattr(self, "_do_" + verb)(*arguments)
        except Failed as failed:
            raise Failed(f"{step}: {failed}") from None

    async def _world(self):
        """Whether server, proxy and clients are at rest."""
        if not self.proxy.is_idle:
            await asyncio.sleep(quiet.PAUSE)
            return False
        clients = self.clients.values()
        pids = {*self.server.processes, *(pid for client in clients for pid in client.processes)}
        return await quiet.is_quiet(pids, self._heard) and self.proxy.is_idle

    def _heard(self):
        return len(self.trace.items), self.proxy.moved, sum(client.heard for client in self.clients.values())

    async def _await(self, expectation, within):
        expectation = self._filled(expectation)
        if not await self.client.until(
                lambda: not expect.wrong(self.client, self.trace, expectation), within):
            raise Failed("; ".join(expect.wrong(self.client, self.trace, expectation)))

    async def _agree(self):
        """When all faults are over, the client shows the state of the server, and nothing is pending."""
        self.proxy.heal()
        await self.proxy.resume()
        for client in self.clients.values():
            self.client = client
            if client.view["connection"] and client.view["connection"]["status"] not in ("ended", "unauthorized"):
                await self._agrees(client)

    async def _agrees(self, client):
        await self._await({"pending": [], "connection": "live"}, EVENTUALLY)
        _, state = await self.session.state()
        pointer = self.options.get(client.name, {}).get("select", "")
        value = expect.patch.find(state, pointer)
        await self._await({"confirmed": value, "shown": value}, EVENTUALLY)

    async def _check(self):
        is_scripted = self.scenario.get("scripted", False)
        for client in self.clients.values():
            if client.timers > TIMERS * (1 + len(client.tabs)):
                raise Failed(f"{client.name} had {client.timers} timers at a time")
        self.lines = list(self.trace.history(self, [] if is_scripted else await self.histories()))
        check(History(self.lines), len(self.clients), self.scenario.get("grows"), is_scripted)

    async def histories(self):
        """The name, the first state and the log of each history."""
        history = await self.session.history()
        return [(history, await self.session.first_state(), await self.session.log())] if history else []

    # ---- Steps: commands to the client

    async def _do_connect(self, options=None):
        options = {"url": self.proxy.url + self.session.path} | (options or {})
        if options.get("storage"):
            options["storage"] = f"{self.folder}/{options['storage']}"
        self.options[self.client.name] = options
        await self.client.do("connect", **options)

    async def _do_send(self, name, actions, ifMatch=None):
        name, actions = self._filled(name), self._actions(actions)
        is_list = isinstance(actions, list)
        self.entries[self.client.name][name] = actions if is_list else [actions]
        condition, begin = {"ifMatch": ifMatch} if ifMatch else {}, len(self.trace.items)
        if is_list:
            answer = await self.client.do("sendAll", entry=name, actions=actions, **condition)
        else:
            answer = await self.client.do("send", entry=name, action=actions, **condition)
        self.client.error = answer.get("error")
        if self.client.error:
            self.trace.add("outcome", who=self.client.name, outcome={"entry": name, "outcome": "refused"})  # it must not be committed
        elif not self.trace.has_shown(self.client.name, name, begin):
            raise Failed(f"{name} is not shown at once")

    async def _do_flush(self):
        await self.client.do("flush")

    async def _do_tell(self, command, members=None):
        await self.client.do(command, **(members or {}))

    async def _do_advance(self, milliseconds):
        await self.client.advance(milliseconds)

    async def _do_rest(self):
        """Waits until nothing happens any more before time passes."""
        await self.client.rest()

    async def _do_sleep(self, milliseconds):
        await self.client.sleep(milliseconds)

    async def _do_kill(self):
        await self.client.kill()
        self.trace.add("kill", who=self.client.name)  # behind all that the old process had told

    async def _do_open(self, options=None):
        """Starts the process again, and connects as before."""
        await self.client.start()
        self.options[self.client.name] |= options or {}
        await self.client.do("connect", **self.options[self.client.name])

    async def _do_as(self, name, *steps):
        before = self.client
        await self._enter(name)
        for step in steps:
            await self._step(step)
        self.client = before

    async def _do_tab(self, name, *steps):
        """Does the steps in another tab of the same browser."""
        before = self.client
        if name not in self.clients:
            self.clients[name] = Tab(self.clients["client"], name)
            self.clients[name].error = None
            self.entries[name] = {}
        self.client = self.clients[name]
        for step in steps:
            await self._step(step)
        self.client = before

    async def _do_shut(self):
        """The browser closes the tab."""
        await self.client.do("shut")
        self.client.view["connection"] = None

    # ---- Steps: the world around it

    async def _do_other(self, actions):
        """Another client acts."""
        actions = self._actions(actions)
        self.acted += actions if isinstance(actions, list) else [actions]
        status, answer = await self.session.act(actions)
        if status != 200:
            raise Failed(f"the other client got {answer}")

    async def _do_fault(self, fault):
        self.proxy.faults.append(copy.deepcopy(fault))

    async def _do_heal(self):
        self.proxy.faults.clear()

    async def _do_tear(self, storage, count):
        """The last bytes of the newest file on the disk are lost."""
        paths = [path for path in pathlib.Path(self.folder, storage).rglob("*") if path.is_file()]
        newest = max(paths, key=lambda path: path.stat().st_mtime_ns)
        os.truncate(newest, newest.stat().st_size - count)

    async def _do_held(self):
        if not await self.client.until(lambda: self.proxy.holding):
            raise Failed("no request is held")

    async def _do_release(self):
        await self._do_held()
        self.proxy.release()

    async def _open_stream(self):
        if not await self.client.until(lambda: self.proxy.streams):
            raise Failed("no stream is open")

    async def _do_cut(self):
        await self._open_stream()
        self.proxy.cut()

    async def _do_end(self):
        await self._open_stream()
        self.proxy.end()

    async def _do_feed(self, text):
        await self._open_stream()
        await self.proxy.feed(text)

    async def _do_feedHex(self, text):
        """Bytes in hexadecimal, for what no text can say."""
        await self._open_stream()
        await self.proxy.feed(bytes.fromhex(text))

    async def _do_flood(self, megabytes):
        """An event that does not end; a client must give up within so many megabytes."""
        await self._open_stream()
        stream, piece = self.proxy.streams[0], b"data: " + b"x" * ((1 << 20) - 7) + b"\n"
        for _ in range(megabytes):
            if stream.writer.is_closing():
                break
            with contextlib.suppress(ConnectionError):
                await stream.send(piece)
                await stream.writer.drain()
        if not await self.client.until(lambda: stream not in self.proxy.streams):
            raise Failed(f"the client reads more than {megabytes} MB of one event")

    async def _do_stall(self):
        await self._open_stream()
        self.proxy.stall()

    async def _do_resume(self):
        await self.proxy.resume()

    async def _do_restart(self):
        await self.server.restart()

    async def _do_stop(self):
        await self.server.stop()

    async def _do_start(self):
        await self.server.start()

    async def _do_through(self, node):
        """The proxy passes requests on to this node of several."""
        self.server.choose(node)

    async def _do_stopNode(self, node):
        await self.server.stop_node(node)

    async def _do_endSession(self):
        await self.session.end()

    async def _do_repeat(self, count, *steps):
        """The steps so many times; `$` in names and payloads is the number of the round."""
        for number in range(1, count + 1):
            self.variables["$"] = number
            for step in steps:
                await self._step(step)

    def _actions(self, value):
        """Actions as objects. `counter/increment by=7` has the type and the members of the payload."""
        if isinstance(value, list):
            return [self._actions(item) for item in value]
        kind, *members = self._filled(value).split(" ") if isinstance(value, str) else [None]
        if not kind:
            return self._filled(value)
        pairs = [member.partition("=") for member in members]
        payload = {name: int(text) if text.lstrip("-").isdigit() else text for name, _, text in pairs}
        return {"type": kind} | ({"payload": payload} if payload else {})

    def _filled(self, value):
        """The value with the number of the round."""
        if isinstance(value, str):
            return self.variables.get("$", 0) if value == "$" else value.replace("$", str(self.variables.get("$", "")))
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        return {self._filled(name): self._filled(item) for name, item in value.items()} if isinstance(value, dict) else value

    # ---- Steps: expectations

    async def _do_await(self, expectation, within=0):
        await self._await(expectation, within)

    async def _do_is(self, expectation):
        """Holds now, without waiting."""
        await self.client.do("observe")
        if faults := expect.wrong(self.client, self.trace, self._filled(expectation)):
            raise Failed("; ".join(faults))

    async def _do_seen(self, key, expected):
        """The different values that were shown one after the other."""
        part, _, pointer = key.partition("/")
        values = []
        for item in self.trace.of("value", self.client.name):
            value = expect.patch.find(item["value"][part], "/" + pointer if pointer else "")
            if value is not None and (not values or values[-1] != value):
                values.append(value)
        if values != expected:
            raise Failed(f"{key} was {values}, not {expected}")

    async def _do_statuses(self, expected):
        """The names that the connection had one after the other."""
        statuses = [item["connection"]["status"] for item in self.trace.of("connection", self.client.name)]
        if statuses != expected:
            raise Failed(f"the connection was {statuses}, not {expected}")

    async def _do_requested(self, kind, place, expected):
        """A request has these fields, parameters and members of the body."""
        requests = [item["request"] for item in self.trace.of("request") if kind in item["request"].kinds]
        if not requests:
            raise Failed("there is no such request")
        request = requests[place]
        found = {**request.query, **request.fields, **(request.json or {})}
        for name, value in expected.items():
            has = name in found
            if value is None and has or value is True and not has or value not in (None, True) and found.get(name) != value:
                raise Failed(f"{name} is {found.get(name)!r}, not {value!r}")

    async def _do_gaps(self, kind, *bounds):
        """The virtual times between the last requests are within these bounds."""
        times = [item["at"] for item in self.trace.of("request") if kind in item["request"].kinds]
        gaps = [after - before for before, after in zip(times, times[1:])][-len(bounds):]
        for gap, (least, most) in zip(gaps, bounds, strict=True):
            if not least <= gap <= most:
                raise Failed(f"the gaps are {gaps}, not within {bounds}")

    async def _do_note(self, key):
        self.variables[key] = expect.seen(self.client, self.trace, key)

    async def _do_more(self, key, most):
        """A number has grown by no more than this since it was noted."""
        grown = expect.seen(self.client, self.trace, key) - self.variables[key]
        if grown > most:
            raise Failed(f"{key} has grown by {grown}, not {most}")
