"""Claims that hold for every client in every run, checked on the trace of the run and the log of the server."""
import collections
import json

from . import kind, patch

TIMERS = 16  # of a client at a time
STREAMS = 8  # of a client at a time, as the proxy sees it, which hears late that a client has closed one


class Broken(Exception):
    """A client does not keep an invariant."""

    def __init__(self, name, text):
        super().__init__(f"{name}: {text}")
        self.name = name


class Truth:
    """The states of a session, and the revision that committed each entry."""

    def __init__(self, first, log, select, twice):
        self.states, self.commits, self.counts = {0: first}, {}, collections.Counter()
        for action in log:
            self.states[action["revision"]] = patch.applied(self.states[action["revision"] - 1], action["patch"])
            key = signature(action)
            self.commits[key] = action["revision"]
            self.counts[key] += 1
        self.select = select or ""
        self.twice = twice  # actions that more than one entry has

    def revisions(self, entries):
        """The last revision of each entry that was committed, as far as no other entry has the same action."""
        found = {}
        for name, actions in entries.items():
            keys = [signature(action) for action in actions]
            if all(key in self.commits and key not in self.twice for key in keys):
                found[name] = max(self.commits[key] for key in keys)
        return found

    def value(self, revision):
        return patch.find(self.states[revision], self.select) if revision in self.states else None


def signature(action):
    return json.dumps([action["type"], action.get("payload") or {}], sort_keys=True)


def check_bounds(clients):
    """Nothing that a client holds grows with time."""
    for client in clients.values():
        if client.timers > TIMERS * (1 + len(client.tabs)):
            raise Broken("bounded", f"{client.name} had {client.timers} timers at a time")


def check(trace, truths, entries, grows=None, is_scripted=False):
    """Checks one client after another.

    `truths` are the histories by name, `entries` the actions of each entry of each client, `grows` a pointer to a number that only
    grows.
    """
    everybody = {name: actions for own in entries.values() for name, actions in own.items()}
    for who in {item["who"] for item in trace.items if "who" in item}:
        own = entries.get(who, {})
        _replays([item["value"] for item in trace.of("value", who)], everybody)
        if not is_scripted:
            _confirmed(trace, who, truths)
            _shown_once(trace, who, truths, own)
            _committed_once(trace, who, truths, own)
        if grows:
            _growing(trace, who, grows)
        _outcomes(trace, who, own)
    _requests(trace)


def _replays(values, own):
    """What is shown is the replay of what the client predicts on what is confirmed."""
    before = {"confirmed": None, "predicted": [None]}
    for value in values:
        state, names, pending = value["confirmed"], value["predicted"], set(value["pending"])
        count = len(before["predicted"])
        if state == before["confirmed"] and names[:count] == before["predicted"]:
            state, names = before["shown"], names[count:]
        before = value
        for name in names:
            if name not in pending:
                raise Broken("replay", f"{name} is predicted, but not pending")
            try:
                state = kind.reduced(state, own[name])
            except (kind.Rejected, kind.Unpredictable) as error:
                raise Broken("replay", f"{name} cannot be predicted: {error!r}") from error
        if value["shown"] != state:
            raise Broken("replay", f"at {value['revision']} with {value['predicted']} it shows {value['shown']} for {state}")


def _confirmed(trace, who, truths):
    """Each confirmed state is one of the server, and they come in order. A new process begins with what the disk has."""
    last = {}
    for item in trace.items:
        if item.get("who") != who:
            continue
        if item["kind"] == "kill":
            last.clear()
        if item["kind"] != "value" or item["value"]["history"] not in truths:
            continue
        value = item["value"]
        history, revision = value["history"], value["revision"]
        if truths[history].value(revision) != value["confirmed"]:
            raise Broken("confirmed", f"revision {revision} never was {value['confirmed']}")
        if revision < last.get(history, -1):
            raise Broken("order", f"revision {revision} comes after {last[history]}")
        last[history] = revision


def _shown_once(trace, who, truths, own):
    """From its send on, an entry that commits is shown exactly once: by its prediction, or in the confirmed state."""
    began, dropped = set(), set()
    revisions = {history: truth.revisions(own) for history, truth in truths.items()}
    for item in trace.items:
        if item.get("who") != who:
            continue
        if item["kind"] == "outcome" and item["outcome"]["outcome"] in ("unknown", "ended"):
            dropped.add(item["outcome"]["entry"])
        if item["kind"] == "report" and item["report"]["kind"] == "unknown":
            dropped |= set(item["report"]["entries"])
        if item["kind"] == "kill":
            began.clear()
        if item["kind"] != "value":
            continue
        value = item["value"]
        began |= set(value["pending"])
        truth = truths.get(value["history"])
        if not truth or truth.select or value["confirmed"] is None:
            continue
        predicted, commits = set(value["predicted"]), revisions[value["history"]]
        for name in (began - dropped) & commits.keys():
            is_contained, is_predicted = commits[name] <= value["revision"], name in predicted
            if is_contained and is_predicted:
                raise Broken("twice", f"{name} is in revision {value['revision']} and predicted")
            if not is_contained and not is_predicted and name not in value.get("reasons", {}) and _can(value["shown"], own[name]):
                raise Broken("flicker", f"{name} is neither in revision {value['revision']} nor predicted")


def _can(state, actions):
    try:
        kind.reduced(state, actions)
    except (kind.Rejected, kind.Unpredictable):
        return False
    return True


def _committed_once(trace, who, truths, own):
    """Each acknowledged entry is committed once, and none more often."""
    told = {item["outcome"]["entry"]: item["outcome"] for item in trace.of("outcome", who)}
    for name, actions in own.items():
        counts = [truth.counts[signature(action)] for action in actions for truth in truths.values() if signature(action) not in truth.twice]
        if max(counts, default=0) > 1:
            raise Broken("once", f"{name} was committed {max(counts)} times")
        outcome = told.get(name, {}).get("outcome")
        # Of a committed entry, the actions that change nothing are not in the log.
        if outcome == "committed" and counts and not any(counts):
            raise Broken("once", f"{name} was acknowledged, and not committed")
        if outcome in ("rejected", "refused", "mismatched", "ignored") and any(counts):
            raise Broken("once", f"{name} was {outcome}, and committed: {actions}")


def _growing(trace, who, pointer):
    """A number that only grows never shrinks on the screen, but with a lost history, and with entries that were given up."""
    newest = history = None
    for item in trace.items:
        if item.get("who") != who:
            continue
        if item["kind"] == "kill" or item["kind"] == "report" and item["report"]["kind"] == "unknown":
            newest = None
        if item["kind"] != "value":
            continue
        number = patch.find(item["value"]["shown"], pointer)
        if item["value"]["history"] != history:
            newest, history = None, item["value"]["history"]
        if newest is not None and number is not None and number < newest:
            raise Broken("grows", f"{pointer} falls from {newest} to {number}")
        newest = number if number is not None else newest


def _outcomes(trace, who, own):
    """An entry has one outcome; committed ones come in the order of the sends, when their effect is confirmed."""
    told, place, order = set(), -1, list(own)
    value, waited = {}, {}  # the history in which an entry was pending last
    for item in trace.items:
        if item.get("who") != who:
            continue
        if item["kind"] == "kill":
            told, place = set(), -1  # a new process may tell again of an entry
        if item["kind"] == "value":
            value = item["value"]
            waited |= dict.fromkeys(value["pending"], value["history"])
        if item["kind"] != "outcome":
            continue
        outcome = item["outcome"]
        name = outcome["entry"]
        if name in told:
            raise Broken("outcome", f"{name} has two outcomes")
        told.add(name)
        if outcome["outcome"] == "committed":
            if order.index(name) < place:
                raise Broken("outcome", f"{name} is told too late")
            place = order.index(name)
            # An entry of a history that is lost may be told as what it was.
            is_same = waited.get(name) == value.get("history")
            if is_same and value.get("revision", -1) < outcome["revision"]:
                raise Broken("read-your-writes", f"{name} is done at {value.get('revision')}, before {outcome['revision']}")
        if name in value.get("pending", []):
            raise Broken("outcome", f"{name} is done and pending")


def _requests(trace):
    """One request of an outbox is in flight at a time, and no more streams are open than needed."""
    for item in trace.of("request"):
        request = item["request"]
        if request.name == "sync" and item["in_flight"] > 1 and item["fault"] != "twice":
            raise Broken("requests", "two requests of one outbox are in flight")
    for item in trace.of("open"):
        if item["streams"] > STREAMS * trace.clients:
            raise Broken("requests", f"{item['streams']} streams are open")
