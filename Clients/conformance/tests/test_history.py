"""Plants faults in a history in which all invariants hold. Each must break the invariant that it names."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from kit import invariants
from kit.history import History

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "check_history.py"
NUMBER = "/counter/count"


def state(count):
    return {"counter": {"count": count}, "user": {"balance": 0}, "betslip": {"selections": [], "placed": [], "totalStake": 0}}


def increment(by):
    return {"type": "counter/increment", "payload": {"by": by}}


def sync(number, client, first, *entries, **members):
    body = {"client": client, "from": first, "entries": [{"actions": [increment(by)]} for by in entries]} | members
    return {"kind": "request", "at": number, "id": number, "method": "POST", "path": "/sessions/s/sync", "body": body}


def answer(number, mark, revision, *results):
    body = {"mark": mark, "revision": revision, "history": "h", "results": list(results)}
    return {"kind": "answer", "at": number, "id": number, "status": 200, "body": body}


def result(number, revision, outcome="committed"):
    return {"n": number, "outcome": outcome, "revision": revision}


def events(number, client, seen=None):
    path = f"/sessions/s/events?changes=patch&sync={client}"
    return {"kind": "request", "at": number, "id": number, "method": "GET", "path": path, "lastEventId": seen}


def whole(number, revision, count, **through):
    return event(number, "state", revision, {"state": state(count)}, through)


def patched(number, revision, count, **through):
    return event(number, "patch", revision, {"patch": [{"op": "replace", "path": NUMBER, "value": count}]}, through)


def event(number, kind, revision, data, through):
    data = {"revision": revision} | data | ({"through": through} if through else {})
    return {"kind": "event", "at": number, "id": number, "type": kind, "eventId": f"h-{revision}", "data": data}


def ready(number, revision, **through):
    data = {"revision": revision, "history": "h", "through": through}
    return {"kind": "event", "at": number, "id": number, "type": "ready", "data": data}


def value(who, revision, confirmed, shown, pending=(), predicted=()):
    return {"kind": "value", "at": 0, "who": who, "value": {
        "revision": revision, "history": "h", "confirmed": state(confirmed), "shown": state(shown), "pending": list(pending),
        "predicted": list(predicted), "reasons": {}}}


def outcome(who, entry, revision, name="committed"):
    return {"kind": "outcome", "at": 0, "who": who, "outcome": {"entry": entry, "outcome": name, "revision": revision}}


def log(*counts):
    actions, total = [], 0
    for revision, by in enumerate(counts, 1):
        total += by
        patch = [{"op": "replace", "path": NUMBER, "value": total}]
        actions.append(increment(by) | {"revision": revision, "origin": "client", "patch": patch})
    return {"kind": "log", "history": "h", "first": state(0), "actions": actions}


# Client a sends 1 and 10, client b sends 100 and is refused 1000. Another one adds 10000. The stream of a is cut and resumed.
GOOD = [
    {"kind": "connect", "who": "a"},
    {"kind": "sent", "who": "a", "entry": "one", "actions": [increment(1)]},
    {"kind": "sent", "who": "a", "entry": "ten", "actions": [increment(10)]},
    {"kind": "acted", "actions": [increment(10000)]},
    events(1, "aaa"), whole(1, 0, 0, A=0), ready(1, 0, A=0),
    value("a", 0, 0, 0), value("a", 0, 0, 1, ["one"], ["one"]), value("a", 0, 0, 11, ["one", "ten"], ["one", "ten"]),
    sync(2, "aaa", 1, new=True), answer(2, "A", 0),
    sync(3, "aaa", 1, 1), answer(3, "A", 1, result(1, 1)), patched(1, 1, 1, A=1),
    value("a", 1, 1, 11, ["one", "ten"], ["ten"]), value("a", 1, 1, 11, ["ten"], ["ten"]), outcome("a", "one", 1),
    sync(4, "bbb", 1, new=True), answer(4, "B", 1),
    sync(5, "bbb", 1, 100, 1000), answer(5, "B", 2, result(1, 2), result(2, 2, "rejected")), patched(1, 2, 101, B=2),
    value("a", 2, 101, 111, ["ten"], ["ten"]),
    sync(6, "aaa", 2, 10),  # its answer is lost, and so is the stream
    sync(7, "aaa", 2, 10), answer(7, "A", 4, result(2, 4)),
    events(8, "aaa", "h-2"), patched(8, 4, 10111, A=2), ready(8, 4, A=2),
    value("a", 4, 10111, 10111), outcome("a", "ten", 4),
    log(1, 100, 10000, 10),
]


def find(lines, kind, number, place=0):
    """The line of a request."""
    return [line for line in lines if line["kind"] == kind and line.get("id") == number][place]


def results(lines, number):
    return find(lines, "answer", number)["body"]["results"]


def values(lines):
    return [line["value"] for line in lines if line["kind"] == "value"]


def change(function):
    """A copy of the good history in which something is another."""
    lines = copy.deepcopy(GOOD)
    return function(lines) or lines


def another_outcome(lines):
    return lines + [sync(9, "aaa", 2, 10), answer(9, "A", 4, result(2, 4, "ignored"))]


def another_revision(lines):
    return lines + [sync(9, "aaa", 2, 10), answer(9, "A", 4, result(2, 3))]


def results_swapped(lines):
    results(lines, 5).reverse()


def revision_before_that_of_an_earlier_entry(lines):
    results(lines, 5)[1]["revision"] = 1


def one_revision_for_two_entries(lines):
    results(lines, 5)[0]["revision"] = 4


def committed_twice(lines):
    lines[-1] = log(1, 100, 10000, 10, 10)


def acknowledged_and_lost(lines):
    lines[-1] = log(1, 100, 10000)


def acknowledged_as_another(lines):
    results(lines, 7)[0]["revision"] = 3


def refused_and_committed(lines):
    lines[-1] = log(1, 100, 10000, 10, 1000)


def never_sent(lines):
    lines[-1] = log(1, 100, 10000, 10, 7)


def state_of_nobody(lines):
    find(lines, "event", 1)["data"]["state"] = state(5)


def patch_to_another_state(lines):
    find(lines, "event", 8)["data"]["patch"][0]["value"] = 10011


def patch_without_a_place(lines):
    find(lines, "event", 1, 2)["data"]["patch"][0]["path"] = "/nothing/at/all"


def revisions_fall(lines):
    place = lines.index(find(lines, "event", 1, 3))
    lines[place:place] = [patched(1, 2, 101)]
    lines[place + 1] = patched(1, 1, 1)


def through_falls(lines):
    return lines + [ready(8, 4, A=1)]


def through_before_its_value(lines):
    find(lines, "event", 1, 2)["data"]["through"] = {"A": 2}


def value_before_its_through(lines):
    find(lines, "event", 8)["data"]["through"] = {"A": 1}
    find(lines, "event", 8, 1)["data"]["through"] = {"A": 1}


def through_of_what_nobody_sent(lines):
    find(lines, "event", 8, 1)["data"]["through"] = {"A": 3}


def entries_without_a_record(lines):
    return [line for line in lines if line.get("id") != 4]


def another_entry_under_a_number(lines):
    find(lines, "request", 7)["body"]["entries"] = [{"actions": [increment(11)]}]


def from_passes_an_unknown_outcome(lines):
    return lines[:-1] + [sync(9, "bbb", 3, 5), sync(10, "bbb", 4, 6)] + lines[-1:]


def an_entry_overtakes_another(lines):
    results(lines, 5).pop()
    return lines[:-1] + [sync(9, "bbb", 7, 5), answer(9, "B", 4, result(7, 4, "rejected")), sync(10, "bbb", 6, 6)] + lines[-1:]


def two_requests_in_flight(lines):
    find(lines, "request", 7)["inFlight"] = 2


def shown_is_no_replay(lines):
    values(lines)[2]["shown"] = state(12)


def confirmed_is_no_state(lines):
    values(lines)[-1]["confirmed"] = values(lines)[-1]["shown"] = state(111)


def confirmed_goes_back(lines):
    return lines[:-1] + [value("a", 2, 101, 101)] + lines[-1:]


def shown_twice(lines):
    one = values(lines)[3]
    one["predicted"], one["shown"] = ["one", "ten"], state(12)


def shown_not_at_all(lines):
    one = values(lines)[3]
    one["predicted"], one["shown"] = [], state(1)


def told_too_early(lines):
    place = lines.index(outcome("a", "ten", 4))
    lines[place - 1:place + 1] = [outcome("a", "ten", 4), lines[place - 1]]


def told_twice(lines):
    return lines + [outcome("a", "one", 1)]


def told_as_refused(lines):
    lines[lines.index(outcome("a", "ten", 4))]["outcome"]["outcome"] = "rejected"


def number_shrinks(lines):
    values(lines)[-1]["shown"] = state(110)


FAULTS = {
    another_outcome: "one outcome", another_revision: "one outcome",
    results_swapped: "order of results", revision_before_that_of_an_earlier_entry: "order of results",
    one_revision_for_two_entries: "exactly once", committed_twice: "exactly once",
    acknowledged_and_lost: "acknowledged is committed", acknowledged_as_another: "acknowledged is committed",
    refused_and_committed: "refused is not committed", never_sent: "committed was sent",
    state_of_nobody: "states in order", patch_to_another_state: "states in order", patch_without_a_place: "states in order",
    revisions_fall: "states in order",
    through_falls: "through grows", through_before_its_value: "through grows", value_before_its_through: "through grows",
    through_of_what_nobody_sent: "through grows",
    entries_without_a_record: "numbers", another_entry_under_a_number: "numbers", from_passes_an_unknown_outcome: "numbers",
    an_entry_overtakes_another: "numbers",
    two_requests_in_flight: "one request at a time",
    shown_is_no_replay: "replay", confirmed_is_no_state: "confirmed", confirmed_goes_back: "confirmed",
    shown_twice: "shown once", shown_not_at_all: "shown once",
    told_too_early: "outcomes", told_twice: "outcomes", told_as_refused: "told is committed", number_shrinks: "grows",
}


class Histories(unittest.TestCase):
    def test_a_good_history_breaks_nothing(self):
        problems = {name: found for name, found in invariants.verdicts(History(GOOD), NUMBER).items() if found}
        self.assertEqual(problems, {})

    def test_each_fault_breaks_its_invariant(self):
        for plant, name in FAULTS.items():
            with self.subTest(plant.__name__):
                self.assertTrue(invariants.verdicts(History(change(plant)), NUMBER)[name])

    def test_each_invariant_has_a_fault(self):
        self.assertEqual(set(invariants.checks(NUMBER)), set(FAULTS.values()))

    def test_a_secret_in_the_log_is_that_of_any_entry(self):
        lines = change(lambda lines: None)
        find(lines, "request", 3)["body"]["entries"][0]["actions"] = [{"type": "login/enter", "payload": {"password": "some password"}}]
        lines[-1]["actions"][0] |= {"type": "login/enter", "payload": {"password": "***"}}
        problems = invariants.verdicts(History(lines))
        self.assertFalse(problems["acknowledged is committed"] + problems["committed was sent"])

    def test_a_history_without_log_and_client_can_be_checked(self):
        lines = [line for line in GOOD if line["kind"] in ("request", "answer", "event")]
        self.assertFalse(any(invariants.verdicts(History(lines)).values()))
        self.assertTrue(invariants.verdicts(History(lines + [ready(8, 4, A=1)]))["through grows"])


class Program(unittest.TestCase):
    def run_on(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write(text)
            file.flush()
            return subprocess.run([sys.executable, PROGRAM, file.name, "--grows", NUMBER], capture_output=True, text=True)

    def test_says_which_invariants_hold(self):
        done = self.run_on("\n".join(map(json.dumps, GOOD)))
        self.assertEqual((done.returncode, done.stdout.count("holds")), (0, len(invariants.checks(NUMBER))))

    def test_says_what_is_broken(self):
        done = self.run_on("\n".join(map(json.dumps, change(told_twice))))
        self.assertEqual(done.returncode, 1)
        self.assertIn("BROKEN outcomes\n       one has two outcomes\n", done.stdout)

    def test_names_the_line_that_says_nothing(self):
        done = self.run_on('{"kind":"answer","id":7,"status":200}')
        self.assertEqual(done.returncode, 2)
        self.assertIn("line 1", done.stderr)


if __name__ == "__main__":
    unittest.main()
