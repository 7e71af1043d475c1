"""Clients that send outboxes through the load balancer, and follow what becomes of their entries."""

import asyncio
import base64
import random
import time

from cluster.following import HEARTBEAT
from cluster.record import INCREMENT, Sent
from cluster.wire import Connection, Lost, events

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
                if self.random.random() < 0.2 and await self.ask(request):
                    self.crowd.numbers["repeated"] += len(answer["results"])
                if request["client"] == self.client:
                    self.take(answer)

    async def ask(self, request):
        """The answer; None if it is none that tells outcomes."""
        path = f"/sessions/{self.record.id}/sync"
        number = self.crowd.recorder.request("POST", path, request)
        answer = await self.crowd.ask(self.connection, "POST", path, request)
        self.crowd.recorder.answer(number, answer.status, answer.body)
        if answer.status == 200:
            return answer.body
        if answer.status == 409 and answer.code == "client-forgotten" and self.crowd.may_lose:
            self.begin_again()
        elif answer.status not in (503, 504):
            self.record.wrong.append(f"an outbox from {self.first}: {answer}")
        return None

    def take(self, answer):
        for number, result in enumerate(answer["results"], self.first):
            if result["n"] != number or result["outcome"] != "committed":
                self.record.wrong.append(f"entry {number} of an outbox became {result}")
                return
            sent = self.pending.pop(0)
            sent.outcome, sent.revision, sent.history = "acknowledged", result["revision"], answer["history"]
            self.crowd.note_acknowledgement(self.record.id)
        self.first += len(answer["results"])
        self.record.raise_floor(answer["revision"], answer["history"])


class OutboxFollower:
    """Follows the stream of an outbox, which tells whose entries a value contains."""

    def __init__(self, writer):
        self.writer, self.crowd, self.client, self.last = writer, writer.crowd, None, None

    async def run(self):
        while True:
            connection = Connection(self.crowd.port)
            try:
                # A client that comes back of its own accord, too.
                async with asyncio.timeout(self.writer.random.expovariate(1 / 10) + 1):
                    await self.follow(connection)
            except (Lost, OSError, EOFError, asyncio.TimeoutError):
                pass
            finally:
                connection.close()
            await asyncio.sleep(0.1)

    async def follow(self, connection):
        if self.client != self.writer.client:
            self.client, self.last = self.writer.client, None
        path = f"/sessions/{self.writer.record.id}/events?changes=patch&sync={self.client}"
        number = self.crowd.recorder.request("GET", path, seen=self.last)
        status, _ = await connection.send("GET", path, headers={"Last-Event-ID": self.last} if self.last else {})
        if status == 200:
            async for name, event, data in events(connection, HEARTBEAT * 5):
                self.crowd.recorder.event(number, name, event, data)
                self.last = event or self.last
