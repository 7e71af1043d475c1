"""A history: the lines of a run, as requests, answers, streams, logs of the server, and what the clients have shown."""
import collections
import json
import urllib.parse

from . import patch

SEEN = ("value", "outcome", "report", "kill")


class Malformed(Exception):
    """A line that says nothing."""


def signature(action):
    return json.dumps([action["type"], action.get("payload") or {}], sort_keys=True)


class Request:
    """A request and its answers; of a stream its events."""

    def __init__(self, line):
        self.id, self.at, self.body = line["id"], line.get("at", 0), line.get("body") or {}
        self.method, parts = line["method"], urllib.parse.urlsplit(line["path"])
        self.name, query = parts.path.rsplit("/", 1)[-1], urllib.parse.parse_qs(parts.query)
        self.client = self.body.get("client") if self.name == "sync" else query.get("sync", [None])[0]
        self.select = query.get("select", [""])[0]
        self.seen = line.get("lastEventId")
        self.in_flight, self.fault = line.get("inFlight", 1), line.get("fault")
        self.events = []

    @property
    def entries(self):
        """The entries by number."""
        return dict(enumerate(self.body.get("entries", []), self.body.get("from", 1)))


class Log:
    """The states of a history, and the revision that committed each action."""

    def __init__(self, first, actions):
        self.actions = {action["revision"]: action for action in actions}
        self.states, self.commits, self.counts = {0: first}, {}, collections.Counter()
        for action in actions:
            before = self.states.get(action["revision"] - 1)
            if before is not None and "patch" in action:
                self.states[action["revision"]] = patch.applied(before, action["patch"])
            key = signature(action)
            self.commits[key] = action["revision"]
            self.counts[key] += 1

    def has(self, revision):
        return revision in self.states

    def value(self, revision, select):
        return patch.find(self.states[revision], select)


class History:
    def __init__(self, lines):
        self.requests, self.answers, self.logs = {}, [], {}
        self.acted, self.sent, self.selects = [], {}, {}
        self.seen = collections.defaultdict(list)  # what each client has shown
        self.truths = {}  # kept for the invariants of what is shown
        self.streams = 0  # the most that were open at a time
        for number, line in enumerate(lines, 1):
            try:
                self._take(line["kind"], line)
            except (KeyError, TypeError, ValueError, patch.PatchFailed) as error:
                raise Malformed(f"line {number}: {error!r}") from error

    def _take(self, kind, line):
        if kind == "request":
            self.requests[line["id"]] = Request(line)
        elif kind == "answer":
            self.answers.append((self.requests[line["id"]], line["status"], line.get("body") or {}))
        elif kind == "event":
            self.requests[line["id"]].events.append((line["type"], line.get("eventId"), line["data"]))
        elif kind == "log":
            self.logs[line["history"]] = Log(line["first"], line["actions"])
        elif kind == "acted":
            self.acted += line["actions"]
        elif kind == "sent":
            self.sent.setdefault(line["who"], {})[line["entry"]] = line["actions"]
        elif kind == "connect":
            self.selects[line["who"]] = line.get("select") or ""
        elif kind in SEEN:
            self.seen[line["who"]].append(line)
        elif kind == "streams":
            self.streams = max(self.streams, line["streams"])

    @property
    def syncs(self):
        return [request for request in self.requests.values() if request.name == "sync" and request.client]

    def results(self):
        """Each result of each answer: the request, the answer, the result."""
        for request, status, body in self.answers:
            if status == 200 and request.name == "sync" and isinstance(body.get("results"), list):
                for result in body["results"]:
                    yield request, body, result

    def entries(self):
        """All entries that were sent, by client and number."""
        found = {}
        for request in self.syncs:
            for number, entry in request.entries.items():
                found.setdefault((request.client, number), entry)
        return found


def read(path):
    """The lines of a file."""
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]
