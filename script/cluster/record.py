"""What clients sent and saw of a session, and the check of it against the log."""

import dataclasses

INCREMENT = "counter/increment"
FETCH = "animal/fetchAnimal"
ENDS = {"animal/setCurrentAnimal", "animal/fetchFailed"}


@dataclasses.dataclass
class Sent:
    """A write of one or more increments with amounts that nobody else uses.

    `outcome` is `acknowledged`, `refused` (503 only: nothing may be committed) or `unknown`.
    """

    amounts: list
    key: str | None
    outcome: str = "unknown"
    revision: int = 0  # of the last amount, if it was acknowledged
    history: str = ""
    evidence: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Shown:
    """A counter that a response or an event showed at a revision."""

    revision: int
    count: int
    source: str
    history: str = ""


@dataclasses.dataclass
class StreamRun:
    """The events of one connection of a follower: the revisions in their order, and the history in their ids."""

    follower: int
    history: str
    revisions: list


@dataclasses.dataclass
class SessionRecord:
    """A session as its clients know it."""

    id: str
    first: dict | None = None  # the state at revision 0
    sent: list = dataclasses.field(default_factory=list)
    shown: list = dataclasses.field(default_factory=list)
    runs: list = dataclasses.field(default_factory=list)
    fetched: list = dataclasses.field(default_factory=list)  # the revisions of acknowledged fetches
    unknown_fetches: int = 0
    refused_fetches: int = 0
    wrong: list = dataclasses.field(default_factory=list)  # what was wrong at once
    floor: int = 0  # the highest revision that any client has seen in the newest history
    history: str = ""

    def see(self, revision, count, source, history):
        self.shown.append(Shown(revision, count, source, history))
        self.raise_floor(revision, history)

    def raise_floor(self, revision, history):
        if history != self.history:
            self.floor, self.history = 0, history
        self.floor = max(self.floor, revision)


def check(record, log, newest=None):
    """What is wrong with a session, as sentences; `log` is its whole action log after the faults.

    If Redis may have lost commits, `newest` is the history that the session has now. Only what was seen in it must be in the log.
    """
    if newest:
        record = _only_newest(record, newest)
    wrong = [f"at once: {line}" for line in record.wrong]
    revisions = [entry["revision"] for entry in log]
    if revisions != list(range(1, len(log) + 1)):
        odd = next((index for index, revision in enumerate(revisions) if revision != index + 1), len(log))
        wrong.append(f"the log has a hole or a double after revision {odd}: {revisions[odd:odd + 3]}")
    places, counts = {}, [0]
    for entry in log:
        amount = entry["payload"]["by"] if entry["type"] == INCREMENT else 0
        counts.append(counts[-1] + amount)
        if amount:
            places.setdefault(amount, []).append(entry["revision"])
    wrong += _check_sent(record, places)
    for shown in record.shown:
        if shown.revision >= len(counts):
            wrong.append(f"{shown.source} showed revision {shown.revision}, but the log ends at {len(counts) - 1}")
        elif counts[shown.revision] != shown.count:
            wrong.append(f"{shown.source} showed {shown.count} at revision {shown.revision}, which had {counts[shown.revision]}")
    return wrong + _check_runs(record, bool(newest)) + _check_effects(record, log)


def _only_newest(record, newest):
    """What clients have seen in one history. What was acknowledged in another may be lost."""
    sent = [each if each.history == newest else dataclasses.replace(
        each, outcome="unknown" if each.outcome == "acknowledged" else each.outcome) for each in record.sent]
    return dataclasses.replace(
        record, sent=sent, shown=[shown for shown in record.shown if shown.history == newest], fetched=[],
        unknown_fetches=len(record.fetched) + record.unknown_fetches)


def _check_sent(record, places):
    wrong, known = [], set()
    for sent in record.sent:
        found = [places.get(amount, []) for amount in sent.amounts]
        known |= set(sent.amounts)
        words = f"increments {sent.amounts} (key {sent.key}, {sent.outcome}, {'; '.join(sent.evidence)})"
        if any(len(revisions) > 1 for revisions in found):
            wrong.append(f"{words} are in the log more than once: {found}")
        elif sent.outcome == "acknowledged":
            first = sent.revision - len(sent.amounts) + 1
            if found != [[revision] for revision in range(first, sent.revision + 1)]:
                wrong.append(f"{words} were acknowledged up to revision {sent.revision}, but the log has them at {found}")
        elif sent.outcome == "refused" and any(found):
            wrong.append(f"{words} were refused, but the log has them at {found}")
        elif any(found) and not all(found):
            wrong.append(f"{words} are a batch, and the log has a part of it: {found}")
    wrong += [f"nobody sent the increment {amount} of revision {places[amount]}" for amount in places.keys() - known]
    return wrong


def _check_runs(record, may_change_history):
    wrong, last, history = [], {}, {}
    for run in record.runs:
        before = history.setdefault(run.follower, run.history)
        if before != run.history:
            history[run.follower] = run.history
            last.pop(run.follower, None)
            if not may_change_history:
                wrong.append(f"stream {run.follower} came from history {before} into {run.history}")
        for revision in run.revisions:
            if revision <= last.get(run.follower, -1):
                wrong.append(f"stream {run.follower} showed revision {revision} after {last[run.follower]}")
            last[run.follower] = revision
    return wrong


def _is_interruption(entry):
    """A new owner says so of the effects of the one before. The cause is the revision at which it took over."""
    return entry["payload"].get("code") == "interrupted" and entry["cause"] == entry["revision"] - 1


def _check_effects(record, log):
    """Every fetch ends once: with a result, a failure, or a newer fetch that replaces it."""
    wrong, open_fetch, fetches, names = [], None, set(), set()
    for entry in log:
        revision, kind = entry["revision"], entry["type"]
        if kind == FETCH:
            open_fetch = revision
            fetches.add(revision)
        elif kind in ENDS:
            if open_fetch is None:
                wrong.append(f"revision {revision} is {kind}, but no fetch was running")
            elif entry["cause"] != open_fetch and not _is_interruption(entry):
                wrong.append(f"revision {revision} is {kind} caused by {entry['cause']}, but the fetch is of {open_fetch}")
            open_fetch = None
            name = entry["payload"].get("animal")
            if name in names:
                wrong.append(f"revision {revision} has the upstream's answer {name} a second time")
            names.add(name or revision)
    if open_fetch is not None:
        wrong.append(f"the fetch of revision {open_fetch} has not settled")
    missing = [revision for revision in record.fetched if revision not in fetches]
    if missing:
        wrong.append(f"the log has no fetch at the acknowledged revisions {missing}")
    most = len(set(record.fetched)) + record.unknown_fetches
    if len(fetches) > most:
        wrong.append(f"the log has {len(fetches)} fetches, but only {most} can have been committed")
    return wrong
