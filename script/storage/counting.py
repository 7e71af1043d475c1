"""Clients that increment the counters of sessions, and checks that all acknowledged commits exist."""

import http.client
import random
import threading
import time

ACTION = {"type": "counter/increment", "payload": {"by": 1}}
KEEP_COMMITS = 200


class ClientView:
    """A session as a client knows it from the responses."""

    def __init__(self):
        self.revision = 0
        # The times of the responses by revision, since the last start of the server.
        self.moments = {0: time.monotonic()}
        # The id of the last event from a stream.
        self.event = None


class Client(threading.Thread):
    """Increments the counters of random sessions until the server is gone."""

    def __init__(self, server, sessions):
        super().__init__()
        self.server, self.sessions, self.posts, self.wrong = server, sessions, 0, []
        for view in sessions.values():
            view.moments = {}

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
            self.sessions[session] = ClientView()
        else:
            session = random.choice(list(self.sessions))
        self.count(connection, session)

    def count(self, connection, session):
        status, document = self.server.call(connection, "POST", f"/sessions/{session}/actions?select=/counter", ACTION)
        if status != 200:
            self.wrong.append(f"{session}: {status} {document}")
            return
        view = self.sessions[session]
        view.revision = document["revision"]
        view.moments[view.revision] = time.monotonic()
        self.posts += 1


def session_revision(server, connection, session, wrong):
    """The revision of a session; None if it does not exist. Appends problems to `wrong`."""
    status, document = server.call(connection, "GET", f"/sessions/{session}/state?select=/counter/count")
    if status == 404:
        return None
    if status != 200:
        wrong.append(f"{session}: {status} {document}")
        return None
    revision = document["revision"]
    if document["state"] != revision:
        wrong.append(f"{session}: the counter is {document['state']} at revision {revision}")
    after = max(0, revision - KEEP_COMMITS // 2)
    _, log = server.call(connection, "GET", f"/sessions/{session}/actions?after={after}&limit=1000")
    if [entry["revision"] for entry in log.get("actions", [])] != list(range(after + 1, revision + 1)):
        wrong.append(f"{session}: the log after {after} has gaps")
    return revision


def check(server, sessions, wrong):
    """Checks that every session is at its last acknowledged revision, or one later (the request in progress), and that a
    stream of one of them resumes there."""
    connection = server.connect()
    for session, view in sessions.items():
        revision = session_revision(server, connection, session, wrong)
        if revision not in (view.revision, view.revision + 1):
            wrong.append(f"{session}: {view.revision} was acknowledged, but the session is at {revision}")
        view.revision = revision or 0
    if sessions:
        session, view = random.choice(list(sessions.items()))
        check_stream(server, session, view, wrong)


def check_stream(server, session, view, wrong, same=True):
    """Reconnects a stream. The id of its first event must have the same history ID, or another one if `same` is false."""
    seen = view.event
    # Without a new revision, the stream would send nothing.
    if same and seen and int(seen.rpartition("-")[2]) == view.revision:
        seen = None
    name, shown = server.first_event(session, seen)
    if name.rpartition("-")[2] != str(view.revision) or shown["state"]["counter"]["count"] != view.revision:
        wrong.append(f"{session}: the session is at {view.revision}, but the stream starts at {name}")
    if view.event and (name.rpartition("-")[0] == view.event.rpartition("-")[0]) != same:
        wrong.append(f"{session}: the event id was {view.event} and is {name}; same history expected: {same}")
    view.event = name
