"""Clients that post to a session or watch its stream while the disk fails."""

import contextlib
import http.client
import threading
import time

from storage.counting import ACTION
from storage.checks import fail_if_any


class Poster(threading.Thread):
    """Increments the counter of one session, and checks that each response has the next revision or is the storage error."""

    def __init__(self, server, session, revision):
        super().__init__(daemon=True)
        self.server, self.session, self.revision, self.refused = server, session, revision, 0
        self.wrong, self.is_running = [], True
        self.turn = threading.Lock()  # held during each post of this thread

    def run(self):
        connection = self.server.connect()
        with contextlib.suppress(OSError, http.client.HTTPException):  # the server is gone
            while self.is_running:
                with self.turn:
                    accepted = self.post(connection)
                if not accepted:
                    time.sleep(0.002)

    def post(self, connection):
        """Posts an action; returns whether it was accepted."""
        status, document, headers = self.server.answer(
            connection, "POST", f"/sessions/{self.session}/actions?select=/counter/count", ACTION)
        if status == 200:
            self.take(document)
        else:
            self.refuse(status, document, headers)
        return status == 200

    def take(self, document):
        self.revision += 1
        if (document["revision"], document["state"]) != (self.revision, self.revision):
            self.wrong.append(f"{self.session}: expected revision {self.revision}, got {document}")

    def refuse(self, status, document, headers):
        self.refused += 1
        found = status, headers["Content-Type"], document["code"], (headers["Retry-After"] or "").isdecimal()
        if found != (503, "application/problem+json", "storage-unavailable", True):
            self.wrong.append(f"{self.session}: {found} {document}")

    def check(self):
        """Checks that the session is at the last acknowledged revision or later, with the counter at the same value."""
        before = self.revision
        status, document = self.server.call(
            self.server.connect(), "GET", f"/sessions/{self.session}/state?select=/counter/count")
        # One post may be in progress.
        if status != 200 or not before <= document["revision"] <= self.revision + 1 or document["state"] != document["revision"]:
            self.wrong.append(f"{self.session}: {before} was acknowledged, got {status} {document}")
        fail_if_any(self.wrong)


class Watcher(threading.Thread):
    """Follows a session's stream, reconnects when it ends, and checks that revisions only increase."""

    def __init__(self, server, session):
        super().__init__(daemon=True)
        self.server, self.session, self.revision, self.seen = server, session, 0, None
        self.wrong, self.is_running = [], True

    def run(self):
        while self.is_running:
            try:
                self.follow()
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.05)

    def follow(self):
        connection = self.server.connect()
        connection.request(
            "GET", f"/sessions/{self.session}/events?select=/counter/count",
            headers={"Last-Event-ID": self.seen} if self.seen else {})
        answer = connection.getresponse()
        if answer.status != 200:
            return
        for line in answer:
            if line.startswith(b"id: "):
                self.take(line[4:].decode().strip())
            elif line.startswith(b"data: {\"revision\"") and f'"revision":{self.revision},"state":{self.revision}}}'.encode() not in line:
                self.wrong.append(f"{self.session}: the stream sent {line}")

    def take(self, seen):
        revision = int(seen.rpartition("-")[2])
        if revision <= self.revision:
            self.wrong.append(f"{self.session}: the stream sent {seen} after {self.seen}")
        self.revision, self.seen = revision, seen
