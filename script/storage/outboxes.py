"""Clients that send outboxes, and checks that each entry was run once, in order, and that its outcome is known.

All that they and the server say is a history, which the conformance kit of the clients checks too.
"""

import base64
import http.client
import itertools
import os
import random
import threading

from histories import verdict
from histories.recorder import Recorder, log_line
from storage.checks import expect, fail_if_any
from storage.trial import Trial

CLIENTS = 8
SESSIONS = 3
ENTRIES = 5000  # of all clients, after which other sessions begin, since the whole history is checked after each kill
INCREMENT = "counter/increment"
# The outcomes of entries that commit nothing, by the type of their action.
OTHERS = {"animal/ackError": "ignored", "betslip/placeBet": "rejected", "counter/explode": "refused"}


class Entry:
    """An entry, with amounts that no other entry of its session has."""

    def __init__(self, amounts, kind=INCREMENT):
        self.amounts, self.outcome = amounts, OTHERS.get(kind, "committed")
        actions = [{"type": INCREMENT, "payload": {"by": amount}} for amount in amounts]
        self.json = {"actions": actions or [{"type": kind}]}


class Outbox:
    """The entries of one client, and what it knows of them."""

    def __init__(self, number, session):
        self.client = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        self.session, self.is_begun = session, False
        self.entries, self.results = [], []
        self.event = None  # the id of the last event of its stream
        self.amounts = itertools.count(number + 1, CLIENTS)

    def append(self):
        if random.random() < 0.3:
            self.entries.append(Entry([], random.choice(list(OTHERS))))
        else:
            self.entries.append(Entry([next(self.amounts) for _ in range(random.choice([1, 1, 2]))]))

    def take(self, answer, wrong):
        """Takes the results of an answer. Returns how many of them were new."""
        before = len(self.results)
        for result in answer["results"]:
            number = result["n"]
            if number <= len(self.results):
                continue
            if number > len(self.results) + 1 or result["outcome"] != self.entries[number - 1].outcome:
                wrong.append(f"{self.client}: after {len(self.results)} results came {result}")
            else:
                self.results.append((result["outcome"], result["revision"]))
        return len(self.results) - before

    def request(self, first, entries):
        return {"client": self.client, "from": first, "entries": [entry.json for entry in entries]}


class OutboxClient(threading.Thread):
    """Sends entries until the server is gone."""

    def __init__(self, server, outbox, recorder):
        super().__init__()
        self.server, self.outbox, self.recorder, self.posts, self.wrong = server, outbox, recorder, 0, []

    def run(self):
        try:
            connection = self.server.connect()
            while not self.wrong:
                self.send(connection)
        except (OSError, http.client.HTTPException, ValueError):
            pass

    def send(self, connection):
        outbox = self.outbox
        if not outbox.is_begun:
            self.ask(connection, {"client": outbox.client, "new": True, "from": 1})
            outbox.is_begun = True
        first = len(outbox.results) + 1
        while len(outbox.entries) < first or random.random() < 0.7:
            outbox.append()
        request = outbox.request(first, outbox.entries[first - 1:][:100])
        for _ in range(random.choice([1, 1, 1, 2])):
            self.posts += outbox.take(self.ask(connection, request), self.wrong)

    def ask(self, connection, request):
        status, answer = ask(self.server, connection, self.outbox, request, self.recorder)
        if status != 200:
            self.wrong.append(f"{self.outbox.client}: {status} {answer}")
            raise ValueError(status)
        return answer


def ask(server, connection, outbox, request, recorder):
    path = f"/sessions/{outbox.session}/sync"
    number = recorder.request("POST", path, request)
    status, answer = server.call(connection, "POST", path, request)
    recorder.answer(number, status, answer)
    return status, answer


class OutboxTrial(Trial):
    """A database whose clients send outboxes."""

    def __init__(self, program, directory):
        super().__init__(program, directory, storage_keep_commits=1000000)
        self.outboxes, self.first, self.history = [], {}, []

    @property
    def session_count(self):
        return len(self.first)

    def begin(self, server):
        connection = server.connect()
        sessions = [server.call(connection, "POST", "/sessions")[1]["id"] for _ in range(SESSIONS)]
        states = [server.call(connection, "GET", f"/sessions/{session}/state")[1]["state"] for session in sessions]
        self.first, self.recorder = dict(zip(sessions, states)), Recorder()
        self.outboxes = [Outbox(number, sessions[number % SESSIONS]) for number in range(CLIENTS)]

    def clients(self, server):
        if not self.outboxes or sum(len(outbox.entries) for outbox in self.outboxes) > ENTRIES:
            self.begin(server)
        return [OutboxClient(server, outbox, self.recorder) for outbox in self.outboxes]

    def check(self, server):
        if not self.outboxes:
            return
        wrong, logs, connection = [], [], server.connect()
        for session, first in self.first.items():
            outboxes = [outbox for outbox in self.outboxes if outbox.session == session and outbox.is_begun]
            for outbox in outboxes:
                history = check_record(server, connection, outbox, self.recorder, wrong)
                follow(server, outbox, self.recorder)
            log = log_of(server, connection, session)
            wrong += check_log(log, outboxes)
            logs += [log_line(history, first, log)] if outboxes else []
        self.history = self.recorder.lines + logs
        fail_if_any(wrong + verdict.check(self.history, self.file.with_name("history.jsonl")))

    def check_the_check(self):
        if not self.history:
            return  # each server was killed before it listened
        passing = verdict.faults_that_pass(self.history, self.file.with_name("good.jsonl"))
        expect(not passing, "the check of the history does not find these faults:", ", ".join(passing))


def follow(server, outbox, recorder):
    """The stream of a client goes on where it was, until it is up to date."""
    path = f"/sessions/{outbox.session}/events?changes=patch&sync={outbox.client}"
    number = recorder.request("GET", path, seen=outbox.event)
    for name, event, data in server.events_until("ready", path, outbox.event):
        outbox.event = event or outbox.event
        recorder.event(number, name, event, data)


def check_record(server, connection, outbox, recorder, wrong):
    """The record has all outcomes that were told, and perhaps those of the request in progress. Returns the history of the session."""
    status, answer = ask(server, connection, outbox, outbox.request(1, []), recorder)
    expect(status == 200, outbox.client, status, answer)
    outbox.take(answer, wrong)
    if answer["through"] != len(outbox.results):
        wrong.append(f"{outbox.client}: the record ends at {answer['through']}, and {len(outbox.results)} outcomes were told")
    return answer["history"]


def log_of(server, connection, session):
    entries, after = [], 0
    while after is not None:
        status, page = server.call(connection, "GET", f"/sessions/{session}/actions?after={after}&limit=1000&changes=true")
        expect(status == 200, session, status, page)
        entries += page["actions"]
        after = page["next"]
    return entries


def check_log(log, outboxes):
    """Problems of a log: it must have the amounts of each committed entry once, at its revision, and nothing else."""
    wrong = []
    found = [(entry["revision"], entry["payload"].get("by")) for entry in log]
    expected = []
    for outbox in outboxes:
        for entry, (outcome, revision) in zip(outbox.entries, outbox.results):
            if outcome == "committed":
                expected += enumerate(entry.amounts, revision - len(entry.amounts) + 1)
    if sorted(expected) != found:
        odd = set(expected) ^ set(found)
        wrong.append(f"the log and the told outcomes differ in (revision, amount): {sorted(odd)[:10]}")
    if [revision for revision, _ in found] != list(range(1, len(found) + 1)):
        wrong.append("the log has gaps")
    return wrong
