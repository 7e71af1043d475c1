"""Clients that follow the streams of sessions."""

import asyncio
import random

from cluster.record import StreamRun
from cluster.wire import Connection, Lost, events, patched

HEARTBEAT = 1


class Follower:
    """Follows the stream of a session, and resumes it when it ends, breaks or is silent."""

    def __init__(self, crowd, record, number, by_patches):
        self.crowd, self.record, self.number, self.by_patches = crowd, record, number, by_patches
        self.random, self.last, self.value, self.revision = random.Random(crowd.random.random()), None, None, -1

    async def run(self):
        while True:
            connection = Connection(self.crowd.port)
            try:
                # A client that comes back of its own accord, too.
                async with asyncio.timeout(self.random.expovariate(1 / 20) + 1):
                    await self.follow(connection)
            except (Lost, OSError, EOFError, asyncio.TimeoutError):
                pass
            finally:
                connection.close()
            await asyncio.sleep(self.random.uniform(0, 0.2))

    async def follow(self, connection):
        history, floor, run = self.record.history, self.record.floor, None
        headers = {"Last-Event-ID": self.last} if self.last else {}
        query = "?changes=patch" if self.by_patches else "?select=/counter"
        status, fields = await asyncio.wait_for(
            connection.send("GET", f"/sessions/{self.record.id}/events{query}", headers=headers), 20)
        self.crowd.numbers["streams"] += 1
        if status != 200:
            if status not in (503, 504):
                self.record.wrong.append(f"a stream got {status} ({fields.get('x-request-id')})")
            return
        async for name, number, data in events(connection, HEARTBEAT * 5):
            if name == "closed":
                # A session that is handed over goes on at the next connection.
                if data["reason"] not in ("draining", "rotated"):
                    self.record.wrong.append(f"a stream was closed: {data}")
                return
            if name == "effect":
                continue
            if run is None:
                run = StreamRun(self.number, number.rpartition("-")[0], [])
                self.record.runs.append(run)
                if name == "state" and data["revision"] < floor and run.history == history:
                    self.record.wrong.append(f"stream {self.number} began with revision {data['revision']} after {floor}")
            self.take(run, name, number, data)

    def take(self, run, name, number, data):
        revision = data["revision"]
        run.revisions.append(revision)
        if int(number.rpartition("-")[2]) != revision:
            self.record.wrong.append(f"the event {number} has revision {revision}")
        if name == "patch":
            try:
                self.value = patched(self.value, data["patch"])
            except ValueError as error:
                self.record.wrong.append(f"the patch of revision {revision} does not apply after {self.revision}: {error}")
                self.last = None
                return
        else:
            self.value = data["state"]
        self.last, self.revision = number, revision
        self.crowd.numbers["events"] += 1
        counter = self.value["counter"] if self.by_patches else self.value
        self.record.see(revision, counter["count"], f"stream {self.number}, event {name}", run.history)
