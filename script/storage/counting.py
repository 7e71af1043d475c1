"""Clients that count in sessions, and a look at whether what they were answered is there."""

import http.client
import random
import threading
import time

ACTION = {"type": "counter/increment", "payload": {"by": 1}}
KEEP_COMMITS = 200


class Counted:
    """What a client was answered on a session."""

    def __init__(self):
        self.revision = 0
        # When each revision was answered, since the server was started last.
        self.moments = {0: time.monotonic()}
        # The id of an event at a revision, once a stream has shown one.
        self.event = None


class Client(threading.Thread):
    """Counts in one session after another, until the server is gone."""

    def __init__(self, server, sessions):
        super().__init__()
        self.server, self.sessions, self.posts, self.wrong = server, sessions, 0, []
        for counted in sessions.values():
            counted.moments = {}

    def run(self):
        try:
            connection = self.server.connect()
            while True:
                self.count_once(connection)
        except (OSError, http.client.HTTPException, ValueError):
            pass

    def count_once(self, connection=None):
        connection = connection or self.server.connect()
        if len(self.sessions) < 2 or (len(self.sessions) < 12 and random.random() < 0.01):
            status, document = self.server.call(connection, "POST", "/sessions")
            if status != 201:
                return self.wrong.append(f"{status} {document}")
            session = document["id"]
            self.sessions[session] = Counted()
        else:
            session = random.choice(list(self.sessions))
        self.count(connection, session)

    def count(self, connection, session):
        status, document = self.server.call(connection, "POST", f"/sessions/{session}/actions?select=/counter", ACTION)
        if status != 200:
            self.wrong.append(f"{session}: {status} {document}")
            return
        counted = self.sessions[session]
        counted.revision = document["revision"]
        counted.moments[counted.revision] = time.monotonic()
        self.posts += 1


def look(server, connection, session, wrong):
    """At which revision a session is, None where there is none; `wrong` gets what is not as it should be."""
    status, document = server.call(connection, "GET", f"/sessions/{session}/state?select=/counter/count")
    if status == 404:
        return None
    if status != 200:
        wrong.append(f"{session}: {status} {document}")
        return None
    revision = document["revision"]
    if document["state"] != revision:
        wrong.append(f"{session}: counted {document['state']} in {revision} revisions")
    after = max(0, revision - KEEP_COMMITS // 2)
    _, log = server.call(connection, "GET", f"/sessions/{session}/actions?after={after}&limit=1000")
    if [entry["revision"] for entry in log.get("actions", [])] != list(range(after + 1, revision + 1)):
        wrong.append(f"{session}: the log behind {after} has holes")
    return revision


def check(server, sessions, wrong):
    """Every session is at the last revision that was answered, or one further (the request that was under way), and one of
    them, watched as before, goes on from there."""
    connection = server.connect()
    for session, counted in sessions.items():
        revision = look(server, connection, session, wrong)
        if revision not in (counted.revision, counted.revision + 1):
            wrong.append(f"{session}: {counted.revision} was answered, {revision} is there")
        counted.revision = revision or 0
    if sessions:
        session, counted = random.choice(list(sessions.items()))
        check_stream(server, session, counted, wrong)


def check_stream(server, session, counted, wrong, same=True):
    """A client that comes back has missed what came since; its event's id is of the same history, or of another one."""
    seen = counted.event
    # Where nothing is new, the stream would be silent.
    if same and seen and int(seen.rpartition("-")[2]) == counted.revision:
        seen = None
    name, shown = server.first_event(session, seen)
    if name.rpartition("-")[2] != str(counted.revision) or shown["state"]["counter"]["count"] != counted.revision:
        wrong.append(f"{session}: {counted.revision} is there, {name} is shown")
    if counted.event and (name.rpartition("-")[0] == counted.event.rpartition("-")[0]) != same:
        wrong.append(f"{session}: the id of its events was {counted.event} and is {name}, the same history: {same}")
    counted.event = name
