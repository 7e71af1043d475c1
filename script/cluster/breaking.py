"""Breaks a correct record in each way that the check must find."""

import copy

from cluster.record import ENDS, FETCH, INCREMENT, Sent, check


def _acknowledged(record, log):
    """A write that was acknowledged, and its index in the log. Redis may have lost earlier ones."""
    return next((sent, index) for sent in reversed(record.sent) if sent.outcome == "acknowledged"
                for index, entry in enumerate(log) if entry["payload"].get("by") == sent.amounts[0])


def drop_acknowledged(record, log):
    del log[_acknowledged(record, log)[1]]
    renumber(log)


def renumber(log):
    for revision, entry in enumerate(log, 1):
        entry["revision"] = revision


def drop_last(record, log):
    del log[max(record.floor - 1, 0):]


def double_acknowledged(record, log):
    log.append(dict(log[_acknowledged(record, log)[1]], revision=len(log) + 1))


def leave_hole(_record, log):
    del log[len(log) // 2]


def repeat_revision(_record, log):
    log[len(log) // 2]["revision"] -= 1


def commit_refused(record, log):
    log.append(dict(log[0], revision=len(log) + 1, type=INCREMENT, payload={"by": 999999}))
    record.sent.append(Sent([999999], None, "refused"))


def commit_half_a_batch(record, log):
    log.append(dict(log[0], revision=len(log) + 1, type=INCREMENT, payload={"by": 999998}))
    record.sent.append(Sent([999998, 999997], None, "unknown"))


def commit_what_nobody_sent(_record, log):
    log.append(dict(log[0], revision=len(log) + 1, type=INCREMENT, payload={"by": 999996}))


def acknowledge_elsewhere(record, log):
    _acknowledged(record, log)[0].revision += 1


def show_a_revision_too_many(record, log):
    record.see(len(log) + 1, 0, "a read", record.history)


def show_a_wrong_count(record, _log):
    record.shown[len(record.shown) // 2].count += 1


def _long_run(record):
    return next(run for run in record.runs if len(run.revisions) > 1)


def repeat_an_event(record, _log):
    run = _long_run(record)
    run.revisions.append(run.revisions[-1])


def reorder_events(record, _log):
    _long_run(record).revisions.reverse()


def change_the_history(record, _log):
    record.runs.append(copy.deepcopy(_long_run(record)))
    record.runs[-1].history += "x"


def settle_twice(_record, log):
    end = next(entry for entry in log if entry["type"] in ENDS)
    log.append(dict(end, revision=len(log) + 1))


def leave_an_effect_running(record, log):
    log.append(dict(log[0], revision=len(log) + 1, type=FETCH, payload={}))
    record.fetched.append(len(log))


def fetch_without_a_client(record, log):
    for end in (FETCH, "animal/fetchFailed"):
        log.append(dict(log[0], revision=len(log) + 1, type=end, payload={}, cause=None))
    record.unknown_fetches = 0


BREAKS = [
    drop_acknowledged, drop_last, double_acknowledged, leave_hole, repeat_revision, commit_refused, commit_half_a_batch,
    commit_what_nobody_sent, acknowledge_elsewhere, show_a_revision_too_many, show_a_wrong_count, repeat_an_event, reorder_events,
    change_the_history, settle_twice, leave_an_effect_running, fetch_without_a_client]


def breaks_that_pass(record, log):
    """The names of the breaks that the check does not find in this record, and which it should."""
    passing = []
    for each in BREAKS:
        broken, broken_log = copy.deepcopy(record), copy.deepcopy(log)
        each(broken, broken_log)
        if not check(broken, broken_log):
            passing.append(each.__name__)
    return passing
