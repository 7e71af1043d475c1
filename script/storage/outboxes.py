"""Clients that send outboxes, and checks that each entry was run once, in order, and that its outcome is known."""

import base64
import http.client
import itertools
import os
import random
import threading

from storage.checks import expect, fail_if_any
from storage.trial import Trial

CLIENTS = 8
SESSIONS = 3
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
            outcome = result["outcome"], result["revision"], result.get("problem", {}).get("code")
            if number <= len(self.results):
                if outcome != self.results[number - 1]:
                    wrong.append(f"{self.client}: entry {number} was {self.results[number - 1]}, and is {outcome}")
            elif number > len(self.results) + 1 or outcome[0] != self.entries[number - 1].outcome:
                wrong.append(f"{self.client}: after {len(self.results)} results came {result}")
            else:
                self.results.append(outcome)
        return len(self.results) - before

    def request(self, first, entries):
        return {"client": self.client, "from": first, "entries": [entry.json for entry in entries]}


class OutboxClient(threading.Thread):
    """Sends entries until the server is gone."""

    def __init__(self, server, outbox):
        super().__init__()
        self.server, self.outbox, self.posts, self.wrong = server, outbox, 0, []

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
        status, answer = self.server.call(connection, "POST", f"/sessions/{self.outbox.session}/sync", request)
        if status != 200:
            self.wrong.append(f"{self.outbox.client}: {status} {answer}")
            raise ValueError(status)
        return answer


class OutboxTrial(Trial):
    """A database whose clients send outboxes."""

    def __init__(self, program, directory):
        super().__init__(program, directory, storage_keep_commits=1000000)
        self.outboxes = []

    @property
    def session_count(self):
        return SESSIONS

    def clients(self, server):
        if not self.outboxes:
            connection = server.connect()
            sessions = [server.call(connection, "POST", "/sessions")[1]["id"] for _ in range(SESSIONS)]
            self.outboxes = [Outbox(number, sessions[number % SESSIONS]) for number in range(CLIENTS)]
        return [OutboxClient(server, outbox) for outbox in self.outboxes]

    def check(self, server):
        wrong, connection = [], server.connect()
        for session in {outbox.session for outbox in self.outboxes}:
            outboxes = [outbox for outbox in self.outboxes if outbox.session == session and outbox.is_begun]
            for outbox in outboxes:
                check_record(server, connection, outbox, wrong)
            wrong += check_log(log_of(server, connection, session), outboxes)
        fail_if_any(wrong)


def check_record(server, connection, outbox, wrong):
    """The record has all outcomes that were told, and perhaps those of the request in progress."""
    status, answer = server.call(connection, "POST", f"/sessions/{outbox.session}/sync", outbox.request(1, []))
    expect(status == 200, outbox.client, status, answer)
    outbox.take(answer, wrong)
    if answer["through"] != len(outbox.results):
        wrong.append(f"{outbox.client}: the record ends at {answer['through']}, and {len(outbox.results)} outcomes were told")


def log_of(server, connection, session):
    entries, after = [], 0
    while after is not None:
        status, page = server.call(connection, "GET", f"/sessions/{session}/actions?after={after}&limit=1000")
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
        revisions = [revision for outcome, revision, _ in outbox.results if outcome == "committed"]
        if revisions != sorted(set(revisions)):
            wrong.append(f"{outbox.client}: entries were committed in another order: {revisions}")
        for entry, (outcome, revision, _) in zip(outbox.entries, outbox.results):
            if outcome == "committed":
                expected += enumerate(entry.amounts, revision - len(entry.amounts) + 1)
    if sorted(expected) != found:
        odd = set(expected) ^ set(found)
        wrong.append(f"the log and the told outcomes differ in (revision, amount): {sorted(odd)[:10]}")
    if [revision for revision, _ in found] != list(range(1, len(found) + 1)):
        wrong.append("the log has gaps")
    return wrong
