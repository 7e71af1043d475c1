"""Checks a history by the invariants of the conformance kit, and checks that they notice faults in it."""

import copy
import sys

from histories.recorder import save
from storage.server import ROOT

CHECKER = ROOT / "Clients/conformance"
sys.path.insert(0, str(CHECKER))

from kit import invariants  # noqa: E402
from kit.history import History, read  # noqa: E402


def check(lines, path):
    """What is wrong with a history, as sentences. It is kept in a file then."""
    wrong = [f"{name}: {text}" for name, found in invariants.verdicts(History(lines)).items() for text in found]
    if wrong:
        save(lines, path)
        wrong.append(f"{CHECKER}/check_history.py {path} checks this history again")
    return wrong


def of_session(lines, session, history):
    """The part of a history that is about one session, whose history has this name."""
    own = {line["id"] for line in lines if line["kind"] == "request" and f"/{session}/" in line["path"]}
    return [line for line in lines if line["kind"] == "acted" or line.get("id") in own or line.get("history") == history]


def faults_that_pass(lines, path):
    """The names of the faults that the check does not find in a good history. Each is planted in a file of its own."""
    save(lines, path)
    passing = []
    for plant in (alter_an_outcome, alter_a_revision, swap_two_entries, lose_a_commit, double_a_commit, lower_a_through):
        broken = read(path)
        try:
            plant(broken)
        except StopIteration:
            passing.append(f"{plant.__name__}, for which the history is too short")
            continue
        if not any(invariants.verdicts(History(broken)).values()):
            passing.append(plant.__name__)
    return passing


def _logs(lines):
    return {line["history"]: line["actions"] for line in lines if line["kind"] == "log"}


def _committed(lines):
    """The committed entries of each answer with any, the last answer first."""
    logs = _logs(lines)
    for line in reversed(lines):
        body = line.get("body") or {}
        if line["kind"] == "answer" and body.get("history") in logs:
            if found := [result for result in body.get("results", []) if result["outcome"] == "committed"]:
                yield body, found


def alter_an_outcome(lines):
    next(_committed(lines))[1][-1]["outcome"] = "ignored"


def alter_a_revision(lines):
    next(_committed(lines))[1][-1]["revision"] += 1


def swap_two_entries(lines):
    one, *_, other = next(found for _, found in _committed(lines) if len(found) > 1)
    one["revision"], other["revision"] = other["revision"], one["revision"]


def lose_a_commit(lines):
    body, found = next(_committed(lines))
    actions = _logs(lines)[body["history"]]
    actions[:] = [action for action in actions if action["revision"] != found[-1]["revision"]]


def double_a_commit(lines):
    body, found = next(_committed(lines))
    actions = _logs(lines)[body["history"]]
    again = next(action for action in actions if action["revision"] == found[-1]["revision"])
    actions.append(copy.deepcopy(again) | {"revision": len(actions) + 1})


def lower_a_through(lines):
    """In an event of a client whose last entry was committed."""
    last = {(body["mark"], body["history"], found[-1]["n"]) for body, found in _committed(lines)}
    for line in reversed(lines):
        data = line.get("data") or {}
        for mark, number in (data.get("through") or {}).items():
            if line["kind"] == "event" and line["type"] == "ready" and (mark, data["history"], number) in last:
                data["through"][mark] -= 1
                return
    raise StopIteration
