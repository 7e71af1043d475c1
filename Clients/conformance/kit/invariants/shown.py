"""Claims about what a client shows and tells, compared with the log of the server."""
import collections

from .. import kind, patch
from ..history import signature


class Truth:
    """A log as one client sees it."""

    def __init__(self, history, who, log):
        self.log, self.select = log, history.selects.get(who, "")
        own = [signature(action) for entries in history.sent.values() for actions in entries.values() for action in actions]
        foreign = {signature(action) for action in history.acted}
        secret = {key for key in own if key.startswith('["login/')}  # the log has them without their secrets
        self.twice = foreign | secret | {key for key, count in collections.Counter(own).items() if count > 1}

    def revisions(self, entries):
        """The last revision of each entry that was committed, as far as no other entry has the same action."""
        found = {}
        for name, actions in entries.items():
            keys = [signature(action) for action in actions]
            if all(key in self.log.commits and key not in self.twice for key in keys):
                found[name] = max(self.log.commits[key] for key in keys)
        return found

    def counts(self, action):
        """How often the log has an action that only one entry has."""
        key = signature(action)
        return [] if key in self.twice else [self.log.counts[key]]


def _clients(history):
    for who, items in history.seen.items():
        if who not in history.truths:
            history.truths[who] = {name: Truth(history, who, log) for name, log in history.logs.items()}
        yield who, items, history.sent.get(who, {}), history.truths[who]


def replay(history):
    """What is shown is the replay of what the client predicts on what is confirmed."""
    everybody = {name: actions for own in history.sent.values() for name, actions in own.items()}
    for who, items, _, _ in _clients(history):
        before = {"confirmed": None, "predicted": [None]}
        for value in (item["value"] for item in items if item["kind"] == "value"):
            state, names, pending = value["confirmed"], value["predicted"], set(value["pending"])
            count = len(before["predicted"])
            if state == before["confirmed"] and names[:count] == before["predicted"]:
                state, names = before["shown"], names[count:]
            before = value
            for name in names:
                if name not in pending:
                    yield f"{name} is predicted, but not pending"
                try:
                    state = kind.reduced(state, everybody[name])
                except (kind.Rejected, kind.Unpredictable, KeyError) as error:
                    yield f"{name} cannot be predicted: {error!r}"
                    return
            if value["shown"] != state:
                yield f"at {value['revision']} with {value['predicted']} {who} shows {value['shown']} for {state}"
                return


def confirmed(history):
    """Each confirmed state is one of the server, and they come in order. A new process begins with what the disk has."""
    for who, items, _, truths in _clients(history):
        last = {}
        for item in items:
            if item["kind"] == "kill":
                last.clear()
            value = item.get("value")
            if item["kind"] != "value" or value["history"] not in truths:
                continue
            name, revision, truth = value["history"], value["revision"], truths[value["history"]]
            if not truth.log.has(revision) or truth.log.value(revision, truth.select) != value["confirmed"]:
                yield f"revision {revision} never was {value['confirmed']}"
            if revision < last.get(name, -1):
                yield f"revision {revision} comes after {last[name]}"
            last[name] = revision


def shown_once(history):
    """From its send on, an entry that commits is shown exactly once: by its prediction, or in the confirmed state."""
    for who, items, own, truths in _clients(history):
        began, dropped = set(), set()
        revisions = {name: truth.revisions(own) for name, truth in truths.items()}
        for item in items:
            if item["kind"] == "outcome" and item["outcome"]["outcome"] in ("unknown", "ended"):
                dropped.add(item["outcome"]["entry"])
            elif item["kind"] == "report" and item["report"]["kind"] == "unknown":
                dropped |= set(item["report"]["entries"])
            elif item["kind"] == "kill":
                began.clear()
            elif item["kind"] == "value":
                began |= set(item["value"]["pending"])
                value, truth = item["value"], truths.get(item["value"]["history"])
                if truth and not truth.select and value["confirmed"] is not None:
                    yield from _shown(value, own, revisions[value["history"]], began - dropped)


def _shown(value, own, commits, names):
    for name in names & commits.keys():
        is_contained, is_predicted = commits[name] <= value["revision"], name in value["predicted"]
        if is_contained and is_predicted:
            yield f"{name} is in revision {value['revision']} and predicted"
        if not is_contained and not is_predicted and name not in value.get("reasons", {}) and _can(value["shown"], own[name]):
            yield f"{name} is neither in revision {value['revision']} nor predicted"


def _can(state, actions):
    try:
        kind.reduced(state, actions)
    except (kind.Rejected, kind.Unpredictable):
        return False
    return True


def told_is_committed(history):
    """An entry that the client tells as committed is in the log once, and one that it tells as refused never."""
    for who, items, own, truths in _clients(history):
        told = {item["outcome"]["entry"]: item["outcome"] for item in items if item["kind"] == "outcome"}
        for name, actions in own.items():
            counts = [count for action in actions for truth in truths.values() for count in truth.counts(action)]
            if max(counts, default=0) > 1:
                yield f"{name} was committed {max(counts)} times"
            outcome = told.get(name, {}).get("outcome")
            # Of a committed entry, the log lacks the actions that change nothing, which need not be those that nobody else sends.
            is_own = all(truth.counts(action) for action in actions for truth in truths.values())
            if outcome == "committed" and is_own and counts and not any(counts):
                yield f"{name} was acknowledged, and not committed"
            if outcome in ("rejected", "refused", "mismatched", "ignored") and any(counts):
                yield f"{name} was {outcome}, and committed: {actions}"


def outcomes(history):
    """An entry has one outcome; committed ones come in the order of the sends, when their effect is confirmed."""
    for who, items, own, _ in _clients(history):
        yield from _outcomes(items, list(own))


def _outcomes(items, order):
    told, place = set(), -1
    value, waited = {}, {}  # the history in which an entry was pending last
    for item in items:
        if item["kind"] == "kill":
            told, place = set(), -1  # a new process may tell again of an entry
        if item["kind"] == "value":
            value = item["value"]
            waited |= dict.fromkeys(value["pending"], value["history"])
        if item["kind"] != "outcome":
            continue
        outcome, name = item["outcome"], item["outcome"]["entry"]
        if name in told:
            yield f"{name} has two outcomes"
        told.add(name)
        if outcome["outcome"] == "committed":
            if name not in order or order.index(name) < place:
                yield f"{name} is told too late"
                return
            place = order.index(name)
            # An entry of a history that is lost may be told as what it was.
            is_same = waited.get(name) == value.get("history")
            if is_same and value.get("revision", -1) < outcome["revision"]:
                yield f"{name} is done at {value.get('revision')}, before {outcome['revision']}"
        if name in value.get("pending", []):
            yield f"{name} is done and pending"


def grows(pointer):
    """A number that only grows never shrinks on the screen, but with a lost history, and with entries that were given up."""
    def check(history):
        for who, items, _, _ in _clients(history):
            newest = name = None
            for item in items:
                if item["kind"] == "kill" or item["kind"] == "report" and item["report"]["kind"] == "unknown":
                    newest = None
                if item["kind"] != "value":
                    continue
                number = patch.find(item["value"]["shown"], pointer)
                if item["value"]["history"] != name:
                    newest, name = None, item["value"]["history"]
                if newest is not None and number is not None and number < newest:
                    yield f"{pointer} of {who} falls from {newest} to {number}"
                newest = number if number is not None else newest
    return check


CHECKS = {
    "replay": replay,
    "confirmed": confirmed,
    "shown once": shown_once,
    "told is committed": told_is_committed,
    "outcomes": outcomes,
}
