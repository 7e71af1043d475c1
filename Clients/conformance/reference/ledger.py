"""Confirmed state, pending entries, and the shown state that both make."""
from kit import kind
from kit.patch import PatchFailed, applied

FINAL = ("ignored", "rejected", "mismatched", "refused")


class Entry:
    def __init__(self, number, name, actions, if_match=None):
        self.number, self.name, self.actions, self.if_match = number, name, actions, if_match
        self.result = None
        self.base = -1  # the revision at which it was sent
        self.reason = None  # for which the local rules reject it

    @property
    def body(self):
        return {"actions": self.actions} | ({"ifMatch": self.if_match} if self.if_match else {})


class Confirmed:
    """The newest value of the server, and whose entries it contains."""

    def __init__(self):
        self.value = self.id = self.history = self.mark = self.version = None
        self.revision = -1
        self.through = {}

    def copy(self):
        other = Confirmed()
        other.__dict__ |= self.__dict__ | {"through": dict(self.through)}
        return other


class Ledger:
    def __init__(self, faults, has_reducer, version, tell):
        self.faults, self.has_reducer, self.version, self.tell = faults, has_reducer, version, tell
        self.confirmed = Confirmed()
        self.entries = []
        self.waiting = []  # done when nothing is pending
        self.remove = lambda entry: None
        self.told = None

    # ---- What the server says

    def applied(self, base, name, data, event_id):
        """The confirmed state after an event of the stream."""
        after = base.copy()
        if name == "state":
            after.value = data["state"]
        elif name == "patch":
            after.value = self._patched(after.value, data["patch"])
        if name in ("state", "patch"):
            after.id = event_id
        elif data["history"] != after.history:
            after.through = {} if after.history else after.through
            after.history = data["history"]
        if name == "ready":
            after.version = data.get("version")
        after.mark = data.get("mark", after.mark)
        after.revision = data["revision"]
        for mark, number in (data.get("through") or {}).items():
            after.through[mark] = max(number, after.through.get(mark, 0))
        return after

    def _patched(self, value, patch):
        if "guess" not in self.faults:
            return applied(value, patch)
        for operation in patch:
            try:
                value = applied(value, [operation])
            except PatchFailed:
                continue
        return value

    def confirm(self, confirmed):
        self.confirmed = confirmed
        self.settle()

    def decide(self, results):
        for result in results:
            for entry in self.entries:
                if entry.number == result["n"] and not entry.result:
                    entry.result = result
        self.settle()

    def forget_results(self, history):
        """Those of another history count no more."""
        for entry in self.entries:
            if entry.result and entry.result["history"] != history:
                entry.result = None

    def has_results_of_others(self, history):
        """Whether an entry waits for a revision of another history, as after a start whose first answer came before the server was lost."""
        return any(entry.result and entry.result["history"] != history for entry in self.entries)

    # ---- What is shown

    def contains(self, entry):
        """Whether the confirmed state has what the entry did."""
        if entry.number <= self.confirmed.through.get(self.confirmed.mark, 0) and "ignore-through" not in self.faults:
            return True
        result = entry.result
        if not result or result["outcome"] != "committed":
            return False
        is_there = result["history"] == self.confirmed.history and result["revision"] <= self.confirmed.revision
        return is_there or "drop-at-answer" in self.faults

    def is_replayed(self, entry):
        if entry.result and entry.result["outcome"] in FINAL:
            return "keep-rejected" in self.faults
        if "drop-at-sight" in self.faults and self.confirmed.revision > entry.base:
            return False
        return not self.contains(entry)

    @property
    def predicts(self):
        """Whether the reducer is that of the server."""
        is_same = self.version is None or self.confirmed.version in (None, self.version)
        return self.has_reducer and (is_same or "any-version" in self.faults)

    def shown(self, added=None):
        """The replay, and the names of the entries in it. With an entry that was added, it goes on from the last one."""
        value, names, entries = self.confirmed.value, [], self.entries
        if added and self.told:
            value, names, entries = self.told["shown"], list(self.told["predicted"]), [added]
        if value is None or not self.predicts:
            return self.confirmed.value, []
        for entry in entries:
            if not self.is_replayed(entry):
                continue
            try:
                actions = entry.actions[:1] if "half-entry" in self.faults else entry.actions
                value = kind.reduced(value, actions)
                entry.reason = None
                names.append(entry.name)
            except kind.Rejected as rejected:
                entry.reason = str(rejected)
            except kind.Unpredictable:
                continue
        return value, names

    def add(self, entry):
        entry.base = self.confirmed.revision
        self.entries.append(entry)
        self.notify(entry)

    def drop(self, entries, outcome):
        dropped = list(entries)
        for entry in dropped:
            self.entries.remove(entry)
            self.remove(entry)
        self.notify()
        for entry in dropped:
            self.tell("outcome", {"entry": entry.name, "outcome": outcome})

    def settle(self):
        """Takes the entries out that are done, and tells of them."""
        done = [entry for entry in self.entries if self._is_done(entry)]
        if "keep-rejected" not in self.faults:
            self.entries = [entry for entry in self.entries if entry not in done]
        self.notify()
        for entry in done:
            self.remove(entry)
            result = entry.result
            self.tell("outcome", {"entry": entry.name, "outcome": result["outcome"], "revision": result["revision"]}
                      | {name: value for name, value in result.get("problem", {}).items() if name in ("reason", "code")})
            if "tell-twice" in self.faults:
                self.tell("outcome", {"entry": entry.name, "outcome": result["outcome"], "revision": result["revision"]})
        if not self.entries:
            waiting, self.waiting = self.waiting, []
            for run in waiting:
                run()

    def _is_done(self, entry):
        if not entry.result or getattr(entry, "is_told", False):
            return False
        done = entry.result["outcome"] != "committed" or self.contains(entry) or "done-at-answer" in self.faults
        entry.is_told = done and "keep-rejected" in self.faults
        return done

    def notify(self, added=None):
        shown, names = self.shown(added)
        if "no-rebase" in self.faults and self.told and names and names == self.told["predicted"]:
            shown = self.told["shown"]
        confirmed = self.confirmed
        view = {
            "revision": confirmed.revision, "history": confirmed.history, "confirmed": confirmed.value, "shown": shown,
            "pending": [entry.name for entry in self.entries], "predicted": names,
            "reasons": {entry.name: entry.reason for entry in self.entries if entry.reason},
        }
        if view != self.told:
            self.told = view
            self.tell("value", view)
