"""Clients that send outboxes through the load balancer."""

import asyncio
import base64
import random
import time

from cluster.record import INCREMENT, Sent
from cluster.wire import Connection, Lost

PATIENCE = 60  # seconds for which entries are repeated after the load


class OutboxWriter:
    """Sends the entries of an outbox to one session, in order, until the outcome of each is known."""

    def __init__(self, crowd, record):
        self.crowd, self.record = crowd, record
        self.random, self.connection = random.Random(crowd.random.random()), None
        self.begin_again()
        # The entries whose outcome is unknown; the first of them has the number `first`.
        self.pending, self.first = [], 1

    def begin_again(self):
        self.client = base64.urlsafe_b64encode(self.crowd.random.randbytes(16)).decode().rstrip("=")
        self.is_begun, self.first = False, 1
        self.order = []
        self.record.outboxes.append(self.order)

    async def run(self):
        deadline = None
        while self.crowd.is_running or self.pending and time.monotonic() < deadline:
            if self.crowd.is_running:
                deadline = time.monotonic() + PATIENCE
                self.append()
            self.connection = self.connection or Connection(self.crowd.port)
            try:
                await self.send()
                await asyncio.sleep(self.random.expovariate(1 / self.crowd.pace))
            except Lost:
                self.connection = None
                await asyncio.sleep(0.05)
        if self.connection:
            self.connection.close()

    def append(self):
        for _ in range(self.random.choice([1, 1, 2, 5])):
            if len(self.pending) < 100:
                sent = Sent(self.crowd.next_amounts(self.random.choice([1, 1, 1, 2])), "outbox")
                self.record.sent.append(sent)
                self.pending.append(sent)

    async def send(self):
        if not self.is_begun:
            self.is_begun = await self.ask({"client": self.client, "new": True, "from": 1}) is not None
        elif self.pending:
            entries = [{"actions": [{"type": INCREMENT, "payload": {"by": amount}} for amount in sent.amounts]}
                       for sent in self.pending]
            request = {"client": self.client, "from": self.first, "entries": entries}
            if answer := await self.ask(request):
                repeat = await self.ask(request) if self.random.random() < 0.2 else None
                self.compare(answer, repeat)
                self.take(answer)

    async def ask(self, request):
        """The answer; None if it is none that tells outcomes."""
        path = f"/sessions/{self.record.id}/sync"
        answer = await self.crowd.ask(self.connection, "POST", path, request)
        if answer.status == 200:
            return answer.body
        if answer.status == 409 and answer.code == "client-forgotten" and self.crowd.may_lose:
            self.begin_again()
        elif answer.status not in (503, 504):
            self.record.wrong.append(f"an outbox from {self.first}: {answer}")
        return None

    def compare(self, answer, repeat):
        """The outcomes that were told are told again."""
        if not repeat or repeat["history"] != answer["history"]:
            return
        for before, after in zip(answer["results"], repeat["results"]):
            if dict(before, replayed=True) != after:
                self.record.wrong.append(f"an outbox was told {before}, and then {after}")
        self.crowd.numbers["repeated"] += len(answer["results"])

    def take(self, answer):
        for number, result in enumerate(answer["results"], self.first):
            if result["n"] != number or result["outcome"] != "committed":
                self.record.wrong.append(f"entry {number} of an outbox became {result}")
                return
            sent = self.pending.pop(0)
            sent.outcome, sent.revision, sent.history = "acknowledged", result["revision"], answer["history"]
            self.order.append(sent)
            self.crowd.note_acknowledgement(self.record.id)
        self.first += len(answer["results"])
        self.record.raise_floor(answer["revision"], answer["history"])
