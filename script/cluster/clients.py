"""Clients that write, read and follow sessions through the load balancer, and record all of it."""

import asyncio
import base64
import collections
import random
import time

from cluster.following import Follower
from cluster.outboxes import OutboxFollower, OutboxWriter
from cluster.record import FETCH, INCREMENT, Sent, SessionRecord
from cluster.wire import Connection, Lost, end_tasks
from histories.recorder import Recorder

COUNT = "?select=/counter/count"
REFUSALS = {"storage-unavailable", "draining", "overloaded"}
PATIENCE = 60  # seconds for which a write with a key is repeated
FOLLOWERS_OF_ONE = 16


class Crowd:
    """All clients: the records of the sessions, and what the progress lines count."""

    def __init__(self, port, seed, pace, may_lose):
        self.port, self.random, self.pace, self.may_lose = port, random.Random(seed), pace, may_lose
        self.sessions, self.is_running, self.tasks = {}, True, []
        self.numbers = collections.Counter()
        self.acknowledged_at = {}  # the time of the last acknowledgement by session
        self.fault_at, self.longest_gap = 0, 0  # since the last fault, between two acknowledgements of a session
        self.ended, self.kept, self.wrong, self.followers = {}, set(), [], []
        self.amount = self.request = 0
        self.recorder = Recorder()  # of all that outboxes send and are told

    async def create(self):
        """Creates a session with an id of the client's own, which is safe to repeat."""
        return await self._create("PUT", "/sessions/" + base64.urlsafe_b64encode(self.random.randbytes(18)).decode())

    async def create_anywhere(self):
        """Creates a session whose id the load balancer does not know. A repeat may leave another one behind."""
        return await self._create("POST", "/sessions")

    async def _create(self, method, path):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            answer = await self.once(method, path, {"store": "app"})
            if answer and answer.status in (200, 201):
                return answer.body["id"]
            if answer and answer.status not in (503, 504):
                self.wrong.append(f"{method} of a session: {answer}")
            await asyncio.sleep(0.1)
        self.wrong.append(f"a session could not be created within {PATIENCE} s")
        return None

    async def once(self, method, path, body=None, headers=None):
        """One request on a connection of its own; None if it was lost."""
        connection = Connection(self.port)
        try:
            return await self.ask(connection, method, path, body, headers)
        except Lost:
            return None
        finally:
            connection.close()

    async def ask(self, connection, method, path, body=None, headers=None):
        self.request += 1
        names = {"X-Request-Id": f"chaos-{self.request}"} | (headers or {})
        try:
            answer = await connection.ask(method, path, body, names, self.random.choice([3, 20]))
        except Lost:
            self.numbers["lost"] += 1
            raise
        self.numbers[f"{answer.status}"] += 1
        self.numbers["forwarded"] += "via" in answer.headers
        return answer

    def note_acknowledgement(self, session):
        now = time.monotonic()
        self.numbers["acknowledged"] += 1
        self.longest_gap = max(self.longest_gap, now - max(self.acknowledged_at.get(session, now), self.fault_at))
        self.acknowledged_at[session] = now

    def begin_fault(self):
        self.fault_at, self.longest_gap = time.monotonic(), 0

    def next_amounts(self, count):
        self.amount += count
        return list(range(self.amount - count + 1, self.amount + 1))

    async def start(self, sessions, writers, followers, outboxes):
        for number in range(sessions):
            # Half of them begin at any node. They should follow the load balancer.
            session = await (self.create_anywhere() if number % 2 else self.create())
            if session:
                self.sessions[session] = SessionRecord(session)
        for record in self.sessions.values():
            while not (answer := await self.once("GET", f"/sessions/{record.id}/state")) or answer.status != 200:
                await asyncio.sleep(0.1)
            record.first = answer.body["state"]
        self.tasks = [asyncio.create_task(Writer(self, number).run()) for number in range(writers)]
        for record in list(self.sessions.values())[:outboxes]:
            # Two for a session, so that their entries come in between.
            one, other = OutboxWriter(self, record), OutboxWriter(self, record)
            self.tasks += [asyncio.create_task(client.run()) for client in (one, other, OutboxFollower(one))]
        # Many follow one session, so that some of each node share a stream.
        for number in range(followers + FOLLOWERS_OF_ONE):
            record = list(self.sessions.values())[number % sessions if number < followers else 0]
            self.followers.append(Follower(self, record, number, number % 3 != 2))
            self.tasks.append(asyncio.create_task(self.followers[-1].run()))

    def check_tasks(self):
        """Raises what a client has raised: an error of this program."""
        for task in self.tasks:
            if task.done() and not task.cancelled() and task.exception():
                raise task.exception()

    async def stop(self):
        """Lets every write end. Followers go on."""
        self.is_running = False
        writers = [task for task in self.tasks if task.get_coro().__qualname__.startswith(("Writer", "OutboxWriter"))]
        await asyncio.wait(writers, timeout=PATIENCE + 60)
        self.check_tasks()

    async def leave(self):
        await end_tasks(self.tasks)


class Writer:
    """Does one thing after the other. The first writers have a session each, the others take a random one each time."""

    def __init__(self, crowd, number):
        records = list(crowd.sessions.values())
        self.records = [records[number]] if number < len(records) else records
        self.crowd, self.random = crowd, random.Random(crowd.random.random())
        self.connection = None

    async def run(self):
        ways = [(self.increment, 60), (self.read_state, 14), (self.fetch, 6), (self.read_log, 4), (self.read_document, 2),
                (self.end_a_session, 2)]
        names, weights = zip(*ways)
        while self.crowd.is_running:
            record = self.random.choice(self.records)
            self.connection = Connection(self.crowd.port)
            try:
                for _ in range(self.random.randrange(1, 12)):
                    if not self.crowd.is_running:
                        break
                    await self.random.choices(names, weights)[0](record)
                    await asyncio.sleep(self.random.expovariate(1 / self.crowd.pace))
            except Lost:
                await asyncio.sleep(0.05)
            finally:
                self.connection.close()

    async def ask(self, record, method, path, body=None, headers=None):
        return await self.crowd.ask(self.connection, method, f"/sessions/{record.id}{path}", body, headers)

    def unexpected(self, record, what, answer):
        record.wrong.append(f"{what}: {answer}")

    # ---- Writes

    async def increment(self, record):
        amounts = self.crowd.next_amounts(self.random.choice([1, 1, 1, 1, 2, 3]))
        key = f"k{amounts[0]}" if self.random.random() < 0.5 else None
        sent = Sent(amounts, key)
        record.sent.append(sent)
        actions = [{"type": INCREMENT, "payload": {"by": amount}} for amount in amounts]
        self.crowd.recorder.acted(*actions)
        headers = {"Idempotency-Key": f'"{key}"'} if key else {}
        if not key and self.random.random() < 0.2:
            headers["If-Match"] = f'"{record.floor}"'
        await self.write(record, sent, actions if len(actions) > 1 else actions[0], headers)

    async def write(self, record, sent, body, headers):
        """Posts, and repeats it if it has a key, until the outcome is known."""
        deadline, may_be_committed = time.monotonic() + PATIENCE, False
        while True:
            try:
                answer = await self.ask(record, "POST", f"/actions{COUNT}", body, headers)
            except Lost as lost:
                sent.evidence.append(f"lost {lost}")
                may_be_committed = True
                if sent.outcome == "refused":
                    sent.outcome = "unknown"
                if not sent.key or time.monotonic() > deadline:
                    raise
            else:
                if answer.status == 200:
                    self.acknowledge(record, sent, answer, headers)
                    if not sent.key or self.random.random() < 0.8:
                        return
                    # Repeat what is known to be committed.
                    self.crowd.numbers["repeated"] += 1
                else:
                    sent.evidence.append(f"{answer.status} {answer.code} {answer.headers.get('x-request-id')}")
                    may_be_committed |= not self.is_refusal(record, sent, answer, headers)
                    if sent.outcome != "acknowledged":
                        sent.outcome = "unknown" if may_be_committed else "refused"
                if not sent.key or time.monotonic() > deadline:
                    return
            self.connection.close()
            await asyncio.sleep(self.random.uniform(0, 0.3))

    def is_refusal(self, record, sent, answer, headers):
        """Whether nothing was committed by this request."""
        if answer.status == 503 and answer.code in REFUSALS or answer.status == 412 and "If-Match" in headers:
            return True
        if (answer.status, answer.code) != (504, "outcome-unknown") and not (
                sent.key and (answer.status, answer.code) == (409, "idempotency-conflict")):
            self.unexpected(record, f"increments {sent.amounts}", answer)
        return False

    def acknowledge(self, record, sent, answer, headers):
        revision, floor = answer.body["revision"], record.floor
        if sent.outcome == "acknowledged" and sent.history == answer.history and (
                sent.revision != revision or answer.headers.get("idempotency-replayed") != "true"):
            self.unexpected(record, f"the repeat of {sent.amounts}, acknowledged at {sent.revision}", answer)
        if answer.body["outcome"] != "committed":
            self.unexpected(record, f"increments {sent.amounts}", answer)
        if "If-Match" in headers and revision != int(headers["If-Match"].strip('"')) + len(sent.amounts):
            self.unexpected(record, f"If-Match {headers['If-Match']}, below {floor}", answer)
        sent.outcome, sent.revision, sent.history = "acknowledged", revision, answer.history
        record.see(revision, answer.body["state"], f"the answer to {sent.amounts}", answer.history)
        self.crowd.note_acknowledgement(record.id)

    async def fetch(self, record):
        """Starts an effect, and sometimes waits until it has settled."""
        headers = {"Prefer": f"wait={self.random.choice([1, 5])}"} if self.random.random() < 0.3 else {}
        record.unknown_fetches += 1
        self.crowd.recorder.acted({"type": FETCH})
        answer = await self.ask(record, "POST", "/actions?select=/animal", {"type": FETCH}, headers)
        if answer.status == 200:
            if not headers:
                record.unknown_fetches -= 1
                record.fetched.append(answer.body["revision"])
            record.raise_floor(answer.body["revision"], answer.history)
            self.crowd.numbers["fetched"] += 1
        elif answer.status == 503 and answer.code in REFUSALS:
            record.unknown_fetches -= 1
        elif not (answer.status == 504 and answer.code == "outcome-unknown"):
            self.unexpected(record, "a fetch", answer)

    async def end_a_session(self, _record):
        """Creates a session and ends it, unless it is to be kept: it must be there at the end."""
        if self.crowd.may_lose:
            return
        session = await self.crowd.create()
        if not session:
            return
        if self.random.random() < 0.3:
            self.crowd.kept.add(session)
            return
        self.crowd.ended[session] = False
        answer = await self.crowd.once("DELETE", f"/sessions/{session}")
        if answer and answer.status == 204:
            self.crowd.ended[session] = True
            again = await self.crowd.once("GET", f"/sessions/{session}/state{COUNT}")
            if again and again.status not in (410, 503, 504):
                self.crowd.wrong.append(f"a session that has ended: {again}")
        elif answer and answer.status not in (503, 504):
            self.crowd.wrong.append(f"DELETE: {answer}")

    # ---- Reads

    def may_read(self, record, what, answer):
        if answer.status == 200:
            return True
        if answer.status not in (503, 504):
            self.unexpected(record, what, answer)
        return False

    def expect_no_older(self, record, what, revision, floor, answer):
        """`floor` is the newest history with the highest revision that was seen before it was asked."""
        history, floor = floor
        if revision < floor and history in (answer.history, "") and history == record.history:
            record.wrong.append(f"{what} showed revision {revision}, but {floor} had been seen before it was asked: "
                                f"{answer.headers.get('x-request-id')} {answer.headers.get('via')}")

    async def read_state(self, record):
        floor = record.history, record.floor
        answer = await self.ask(record, "GET", f"/state{COUNT}")
        if self.may_read(record, "a read", answer):
            revision = answer.body["revision"]
            self.expect_no_older(record, "a read", revision, floor, answer)
            record.see(revision, answer.body["state"], "a read", answer.history)

    async def read_log(self, record):
        floor = record.history, record.floor
        after = max(0, record.floor - 20)
        answer = await self.ask(record, "GET", f"/actions?after={after}&limit=100")
        if self.may_read(record, "the log", answer):
            found = [entry["revision"] for entry in answer.body["actions"]]
            if found != list(range(after + 1, after + 1 + len(found))):
                self.unexpected(record, f"the log after {after} has a hole", found)
            if len(found) < 100:
                self.expect_no_older(record, "the log", after + len(found), floor, answer)

    async def read_document(self, record):
        floor = record.history, record.floor
        answer = await self.ask(record, "GET", "")
        if self.may_read(record, "the document", answer):
            self.expect_no_older(record, "the document", answer.body["revision"], floor, answer)
