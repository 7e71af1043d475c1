"""A store of the server, as the rules of a client want it: joins connection, ledger, sender and outbox."""
import asyncio
import itertools
import math

from kit import wire

from .connection import Connection
from .ledger import Entry, Ledger
from .outbox import DiskFull, MemoryOutbox, Outbox, OutboxFull
from .sender import Sender

MOST = 30_000  # milliseconds between two attempts
SECRET = ("login/",)  # first parts of the types of actions with secret fields


class Store:
    def __init__(self, clock, tell, faults, options):
        self.clock, self.tell, self.faults = clock, tell, faults
        self.address, self.path = wire.split_url(options["url"])
        self.select, self.create = options.get("select"), options.get("create", False)
        self.unknown = options.get("unknown", "drop")
        self.token = options.get("token")
        self._random = itertools.cycle(options.get("random") or [0.5])
        self._renewals = None  # what goes on with a new token
        self._is_renewed = False
        self.ledger = Ledger(faults, options.get("reducer", True), options.get("version"), tell)
        self.sender = Sender(self)
        self.connection = Connection(self)
        self.outbox = Outbox(options["storage"], self.identity, faults) if options.get("storage") else MemoryOutbox()
        self.ledger.remove = self.outbox.remove
        self.last = 0
        self._load()
        self.connection.open()
        self.sender.pump()

    @property
    def identity(self):
        """An entry of one user is never sent as another."""
        return [self.path, self.select, self.token]

    def _load(self):
        saved, cache = self.outbox.load(), self.outbox.cache()
        if cache and saved and cache.pop("client") == saved["client"] and "no-cache" not in self.faults:
            self.ledger.confirmed.__dict__ |= cache
        if saved:
            self.sender.client = saved["client"]
            self.sender.sent, self.last = saved["sent"], saved["last"]
            self.sender.has_record = saved["sent"] > 0
            for row in saved["rows"]:
                self.ledger.entries.append(Entry(**row))
            self.ledger.notify()
        else:
            self.outbox.begin(self.sender.client)

    def backoff(self, failures, retry):
        chance = next(self._random)
        return chance * (min(MOST, max(retry, 1000) * 2 ** failures) if failures else 1000)

    @staticmethod
    def asked(seconds):
        """Milliseconds that a server asks for, an hour at most. It may have sent anything, also what is no number."""
        try:
            return min(3_600_000, float(seconds) * 1000) if float(seconds) > 0 else 0
        except (TypeError, ValueError):
            return 0

    def authorization(self):
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    # ---- Entries

    def next_number(self):
        self.last += 1
        return self.last

    def send(self, name, actions, if_match=None):
        confirmed = self.ledger.confirmed
        if if_match == "confirmed":
            if_match = f"{confirmed.revision}.{confirmed.history}"
        entry = Entry(self.next_number(), name, actions, if_match)
        try:
            self.outbox.append(entry, not any(action["type"].startswith(SECRET) for action in actions))
        except (OutboxFull, DiskFull):
            self.last -= 1
            raise
        if "late" in self.faults:
            asyncio.get_running_loop().call_later(0.05, self._late, entry)
            return
        if "out-of-order" in self.faults and len(self.ledger.entries) > 1:
            self.ledger.entries[-1].actions, entry.actions = entry.actions, self.ledger.entries[-1].actions
        self.ledger.add(entry)
        self.sender.pump()

    def _late(self, entry):
        self.ledger.add(entry)
        self.sender.pump()

    def other_history(self, history):
        """Revisions were lost: the record says which entries the new history has."""
        self.tell("report", {"kind": "history", "history": history})
        self.ledger.forget_results(history)
        lost = [entry for entry in self.ledger.entries if not entry.result and entry.number == math.inf]
        if lost:
            self.tell("report", {"kind": "unknown", "entries": [entry.name for entry in lost]})
            self.ledger.drop(lost, "unknown")
        self.sender.must_read = self.sender.has_record
        self.sender.pump()

    def forgotten(self, doubtful):
        """The server has no record. Entries up to a number may have been run."""
        if "resend-forgotten" in self.faults:
            doubtful = 0
        entries = [entry for entry in self.sender.waiting() if entry.number <= doubtful]
        self._renew()
        self.last = 0
        if entries:
            self.tell("report", {"kind": "unknown", "entries": [entry.name for entry in entries]})
        if entries and self.unknown == "drop":
            self.ledger.drop(entries, "unknown")
        for entry in self.ledger.entries:
            # A decided entry waits for its value only. Its number has no meaning to the new record.
            entry.number = math.inf if entry.result else self.next_number()
        self.outbox.begin(self.sender.client, [entry for entry in self.ledger.entries if not entry.result])
        self.connection.lose(0)

    def _renew(self):
        sender = self.sender
        fresh = Sender(self)
        sender.client, sender.sent = fresh.client, 0
        sender.has_record = sender.must_read = False
        self.ledger.confirmed.mark, self.ledger.confirmed.through = None, {}

    def gone(self, status):
        if self.create and status == 404:
            return self.create_again()
        self.connection.end("not-found" if status == 404 else "session-ended")

    def create_again(self):
        """Makes the session again, in a new history."""
        self.connection.close()
        asyncio.ensure_future(self._create())

    async def _create(self):
        kind = "app" if self.create is True else self.create
        try:
            status, _ = await wire.ask(self.address, "PUT", self.path, {"store": kind}, self.authorization())
        except (OSError, ValueError, asyncio.IncompleteReadError):
            status = 0
        if status in (200, 201):
            return self.connection.again()
        if 400 <= status < 500 and status not in (401, 408, 429):
            return self.connection.end("refused")
        self.connection.fail()

    # ---- Access and end

    def unauthorized(self, again):
        """Asks for a token once; the second refusal is final until the app has another one."""
        if self._is_renewed:
            self.sender.is_stopped = True
            self.connection.close()
            return self.connection.show("unauthorized")
        if not self._renewals:
            self._renewals = []
            self.tell("token", "unauthorized")
        self._renewals.append(again)

    def set_token(self, token):
        self.token = token
        renewals, self._renewals = self._renewals or [self.connection.open, self.sender.resume], None
        self._is_renewed = self.connection.status != "unauthorized"
        for again in renewals:
            again()
        self.sender.resume()

    def ended(self):
        self.sender.stop()
        self.ledger.drop(self.ledger.entries, "ended")

    def close(self):
        self.connection.close()
        self.connection.show("ended", "closed")
        self.sender.stop()
