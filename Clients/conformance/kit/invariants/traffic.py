"""Claims about requests, answers and events, as anyone sees them who stands between client and server."""
import collections

from .. import patch
from ..history import signature

REDACTED = "***"  # a secret in the log


def _is_same(sent, logged):
    """Whether the log has this action. It may have defaults of the payload too, and has no secrets."""
    payload = logged.get("payload") or {}
    fits = sent["type"] == logged["type"]
    return fits and all(payload.get(name) in (value, REDACTED) for name, value in (sent.get("payload") or {}).items())


def one_outcome(history):
    """An entry has one outcome in a history, however often the server is asked."""
    known = {}
    for request, answer, result in history.results():
        key = request.client, result["n"], answer.get("history")
        problem = result.get("problem") or {}
        told = result["outcome"], result["revision"], problem.get("code"), problem.get("reason")
        if known.setdefault(key, told) != told:
            yield f"entry {result['n']} of {request.client} is {told}, and was {known[key]}"


def order_of_results(history):
    """The results of an answer are in the order of the entries, and so are the revisions."""
    newest = {}
    for request, answer, result in history.results():
        first = request.body.get("from", 1)
        if result["n"] < first:
            yield f"result {result['n']} comes to a request from {first} on"
    for request, status, body in history.answers:
        if status != 200 or request.name != "sync":
            continue
        numbers = [result["n"] for result in body.get("results", [])]
        if numbers != sorted(set(numbers)):
            yield f"the results {numbers} are not in order"
    for (client, number, name), revision in sorted(_revisions(history).items(), key=lambda item: (str(item[0][2]), item[0][0], item[0][1])):
        before = newest.get((client, name), (0, -1))
        if revision < before[1]:
            yield f"entry {number} of {client} was decided at {revision}, before entry {before[0]} at {before[1]}"
        newest[client, name] = number, revision


def _revisions(history):
    """The revision at which each entry was decided, by client, number and history."""
    return {(request.client, result["n"], answer.get("history")): result["revision"] for request, answer, result in history.results()}


def _committed(history):
    """The entries that were acknowledged: client, number, history, revision, actions."""
    entries, told = history.entries(), set()
    for request, answer, result in history.results():
        key = request.client, result["n"], answer.get("history")
        if result["outcome"] == "committed" and key not in told:
            told.add(key)
            yield *key, result["revision"], entries.get(key[:2], {}).get("actions", [])


def exactly_once(history):
    """No revision belongs to two entries, and no entry that only one client sends is in the log twice."""
    owners = {}
    for client, number, name, revision, _ in _committed(history):
        other = owners.setdefault((name, revision), (client, number))
        if other != (client, number):
            yield f"revision {revision} is that of entry {number} of {client} and of entry {other[1]} of {other[0]}"
    sent = collections.Counter(key for actions in _sent(history) for key in _keys(actions))
    for name, log in history.logs.items():
        found = collections.Counter(_key(action) for action in log.actions.values() if action.get("origin", "client") == "client")
        for key, count in found.items():
            if 0 < sent[key] < count:
                yield f"{key} is {count} times in the log of {name}, and was sent {sent[key]} times"


def _key(action):
    """An action without what a log may change: its type and the members that were sent."""
    payload = action.get("payload") or {}
    return action["type"] + " " + " ".join(f"{name}={payload[name]}" for name in sorted(payload) if payload[name] != REDACTED)


def _keys(actions):
    return [_key(action) for action in actions]


def _sent(history):
    """The actions of each entry, of each single request, and of others that went past the proxy."""
    for entry in history.entries().values():
        yield entry["actions"]
    for request in history.requests.values():
        if request.name == "actions" and request.body:
            yield request.body if isinstance(request.body, list) else [request.body]
    if history.acted:
        yield history.acted


def acknowledged_is_committed(history):
    """An entry that was acknowledged is in the log at its revision."""
    for client, number, name, revision, actions in _committed(history):
        log = history.logs.get(name)
        if not log:
            continue
        logged = log.actions.get(revision)
        if not logged:
            yield f"entry {number} of {client} was acknowledged at {revision}, which the log does not have"
        elif actions and not any(_is_same(action, logged) for action in actions):
            yield f"entry {number} of {client} was acknowledged at {revision}, where the log has {logged['type']} {logged.get('payload')}"


def refused_is_not_committed(history):
    """An entry that was refused or ignored is not in the log, where no other entry has the same actions."""
    refused, others = {}, collections.Counter(key for actions in _sent(history) for key in _keys(actions))
    entries = history.entries()
    for request, answer, result in history.results():
        if result["outcome"] != "committed":
            refused[request.client, result["n"], answer.get("history")] = result["outcome"]
    for (client, number, name), outcome in refused.items():
        log = history.logs.get(name)
        logged = set(map(_key, log.actions.values())) if log else set()
        for key in _keys(entries.get((client, number), {}).get("actions", [])):
            if others[key] == 1 and key in logged:
                yield f"entry {number} of {client} was {outcome}, and is in the log: {key}"


def committed_was_sent(history):
    """Each action of a client in the log was sent by one."""
    sent = [action for actions in _sent(history) for action in actions]
    exact, by_type = {signature(action) for action in sent}, collections.defaultdict(list)
    for action in sent:
        by_type[action["type"]].append(action)
    for name, log in history.logs.items():
        for revision, logged in log.actions.items():
            if logged.get("origin", "client") != "client" or signature(logged) in exact:
                continue
            if not any(_is_same(action, logged) for action in by_type[logged["type"]]):
                yield f"nobody sent {logged['type']} {logged.get('payload')} at revision {revision} of {name}"


def states_in_order(history):
    """Each value of a stream is a state of the server, and they come in order."""
    for request in history.requests.values():
        if request.name == "events":
            yield from _states(history, request)


def _states(history, request):
    value, revision, name = None, -1, None
    if request.seen:
        name, _, text = request.seen.rpartition("-")
        log, revision = history.logs.get(name), int(text)
        value = log.value(revision, request.select) if log and log.has(revision) else None
    for kind, event_id, data in request.events:
        if kind not in ("state", "patch"):
            continue
        now = event_id.rpartition("-")[0] if event_id else name
        if now == name and data["revision"] < revision:
            yield f"stream {request.id}: revision {data['revision']} comes after {revision}"
        if kind == "patch" and (value is not None or request.seen is None):
            try:
                value = patch.applied(value, data["patch"])
            except (patch.PatchFailed, TypeError) as error:
                yield f"stream {request.id}: the patch to {data['revision']} does not apply: {error}"
                return
        elif kind == "state":
            value = data["state"]
        name, revision = now, data["revision"]
        log = history.logs.get(name)
        if log and log.has(revision) and value is not None and value != log.value(revision, request.select):
            yield f"stream {request.id}: revision {revision} of {name} never was {value}"
            return


def through_grows(history):
    """The number of a mark never falls, never passes what was sent, and says just what the value contains."""
    marks = {body["mark"]: request.client for request, status, body in history.answers if status == 200 and body.get("mark")}
    highest = collections.defaultdict(int)
    for client, number in history.entries():
        highest[client] = max(highest[client], number)
    decided = collections.defaultdict(dict)
    for client, number, name, revision, _ in _committed(history):
        decided[client, name][number] = revision
    for request in history.requests.values():
        if request.name == "events":
            yield from _through(request, marks, highest, decided)


def _through(request, marks, highest, decided):
    name, known = None, {}
    for kind, event_id, data in request.events:
        if kind not in ("state", "patch", "ready"):
            continue
        now = data.get("history") or (event_id.rpartition("-")[0] if event_id else name)
        if now != name:
            name, known = now, {}
        for mark, number in (data.get("through") or {}).items():
            client = marks.get(mark)
            if number < known.get(mark, 0):
                yield f"stream {request.id}: through of {mark} falls from {known[mark]} to {number}"
            if client and number > highest[client]:
                yield f"stream {request.id}: through of {mark} is {number}, and only {highest[client]} were sent"
            known[mark] = number
            for entry, revision in decided[client, name].items():
                if entry <= number and revision > data["revision"]:
                    yield f"stream {request.id}: revision {data['revision']} says that it contains entry {entry}, which is of {revision}"
                if entry > number and revision <= data["revision"] and client == request.client:
                    yield f"stream {request.id}: revision {data['revision']} contains entry {entry}, and its through is {number}"


def numbers(history):
    """A number has one entry, entries do not overtake each other, and nothing is sent before there is a record."""
    bodies, begun = {}, set()
    sent, told = collections.defaultdict(set), collections.defaultdict(set)
    answers = collections.defaultdict(list)
    for request, status, body in history.answers:
        answers[request.id].append((status, body))
    for request in history.syncs:
        client = request.client
        if request.entries and client not in begun:
            yield f"{client} sends entries before its record has begun"
        for number, entry in request.entries.items():
            if bodies.setdefault((client, number), entry) != entry:
                yield f"entry {number} of {client} was {bodies[client, number]}, and is {entry}"
        first = request.body.get("from", 1)
        unknown = [number for number in sent[client] - told[client] if number < first]
        if unknown and request.entries:
            yield f"{client} sends from {first} on, and knows no outcome of {min(unknown)}"
        late = [number for number in request.entries if number not in sent[client] and number < max(sent[client], default=0)]
        if late:
            yield f"entry {late[0]} of {client} comes behind entry {max(sent[client])}"
        sent[client] |= set(request.entries)
        for status, body in answers[request.id]:
            if status == 200 and isinstance(body.get("results"), list):
                begun.add(client)
                told[client] |= {result["n"] for result in body["results"]}


def one_at_a_time(history):
    """One request of an outbox is in flight at a time."""
    for request in history.syncs:
        if request.in_flight > 1 and request.fault != "twice":
            yield f"two requests of {request.client} are in flight at {request.at}"


CHECKS = {
    "one outcome": one_outcome,
    "order of results": order_of_results,
    "exactly once": exactly_once,
    "acknowledged is committed": acknowledged_is_committed,
    "refused is not committed": refused_is_not_committed,
    "committed was sent": committed_was_sent,
    "states in order": states_in_order,
    "through grows": through_grows,
    "numbers": numbers,
    "one request at a time": one_at_a_time,
}
