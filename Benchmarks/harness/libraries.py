"""The measurements of libraries, which run in processes of their own: the stores, and the clients in JavaScript and Swift."""

from harness.cases import Case
from harness.loads import Watch

DISPATCH_ROWS = (
    ("nanoseconds", "a dispatch, ns", 0), ("allocations", "allocations a dispatch", 2),
)
THREAD_ROWS = (
    ("onePerSecond", "one thread, dispatches/s", 0),
    ("apartPerSecond", "eight threads on eight stores, dispatches/s", 0),
    ("apartTimes", "of one thread's, times", 2),
    ("togetherPerSecond", "eight threads on one store, dispatches/s", 0),
    ("togetherPercent", "of one thread's, %", 0),
)
SLICE_ROWS = (
    ("one", "one slice, ns", 0), ("ten", "ten slices, ns", 0), ("slice", "each slice more, ns", 1),
    ("combinedOne", "`combine` of one, ns", 0), ("combinedTen", "`combine` of ten, ns", 0),
    ("combinedSlice", "each slice more, ns", 1),
)
TASK_ROWS = (
    ("edit10", "an edit among 10, ns", 0), ("edit1000", "among 1000, ns", 0),
    ("edit100000", "among 100 000, ns", 0), ("editTimes", "100 000 against 10, times", 2),
    ("reject10", "an edit that is refused among 10, ns", 0), ("reject1000", "among 1000, ns", 0),
    ("reject100000", "among 100 000, ns", 0), ("rejectTimes", "100 000 against 10, times", 2),
    ("allocations", "allocations an edit", 2),
)
TOKEN_ROWS = (
    ("tokenBytes", "its size in bytes", 0), ("known", "verified before, ns", 0), ("new", "with HS256, verified, ns", 0),
)
DECLARATION_ROWS = (
    ("byHand", "by hand: an action from JSON to its patch, ns", 0), ("byHandAllocations", "allocations", 1),
    ("defined", "`StoreDefinition`, ns", 0), ("definedAllocations", "allocations", 1),
    ("codable", "state and actions `Codable`, ns", 0), ("codableAllocations", "allocations", 1),
)
PATCHES_ROWS = (("by50", "50 in each read, ms", 1), ("by1", "one in each read, ms", 1))
OUTBOX_ROWS = (("outboxMs", "until all are committed, ms", 1), ("requests", "requests", 2))
FRAME_ROWS = (("p50Ms", "p50, ms", 1), ("p99Ms", "p99, ms", 1))
LEADER_ROWS = (("leaderMs", "until the next tab asks for the stream, ms", 1), ("leaderMostMs", "the longest, ms", 1))
JUMPS_ROWS = (("jumps", "jumps back", 0), ("seconds", "time for all, s", 1))
ACTION_ROWS = (("milliseconds", "CPU of the client, ms", 3),)
REBASE_ROWS = (
    ("event0", "an event while nothing is pending, µs", 1), ("event20", "while 20 actions are pending, µs", 1),
    ("rebase", "the difference, µs", 1),
)
GROWTH_ROWS = (("earlyMegabytes", "memory after a tenth, MB", 1), ("growthMegabytes", "its growth until the end, MB", 1))


def library(contender, case, milliseconds):
    """One case of a library, in its own process."""
    with Watch() as watch:
        result = contender.run(case, milliseconds)
    return {**result, "othersPercent": watch.others_percent}


def library_cases(quick):
    """The cases of the libraries, in the order of their table."""
    both, milliseconds = ("stores", "redux"), 200 if quick else 500

    def case(title, name, rows, contenders=both):
        return Case("stores", title, contenders, rows, lambda contender: library(contender, name, milliseconds))

    return [
        case("an increment, nobody watches", "dispatch", DISPATCH_ROWS),
        case("the same, three middlewares and a subscriber", "middleware", DISPATCH_ROWS),
        case("the same, several threads", "threads", THREAD_ROWS, ("stores",)),
        case("a composed reducer", "slices", SLICE_ROWS),
        case("an edit of a random task, a subscriber", "tasks", TASK_ROWS),
        case("the same hosted store, declared in three ways", "declarations", DECLARATION_ROWS, ("stores",)),
        case("the token of a request", "tokens", TOKEN_ROWS, ("stores",)),
    ]


def client_cases(quick):
    """The cases of the JavaScript client, in the order of their table. The last number is how often, in one round."""
    def case(title, name, rows, count, quickly):
        return Case("client", title, ("storehouse.js",), rows,
                    lambda contender: library(contender, name, quickly if quick else count))

    return [
        case("1000 patches of a state with 1000 entities", "patches", PATCHES_ROWS, 20, 3),
        case("an outbox of 100 actions, 50 ms for each request", "outbox", OUTBOX_ROWS, 20, 3),
        case("POST by another client to the painted frame, Chromium", "frames", FRAME_ROWS, 500, 30),
        case("the tab that leads is left, Chromium", "leader", LEADER_ROWS, 20, 3),
        case("10 000 increments with faults" if not quick else "500 increments with faults", "jumps", JUMPS_ROWS, 10_000, 500),
    ]


def swift_cases(quick):
    """The cases of the Swift client, in the order of their table. The last number is how often, in one round."""
    def case(title, name, rows, count, quickly):
        return Case("swift", title, ("StorehouseClient",), rows,
                    lambda contender: library(contender, name, quickly if quick else count))

    return [
        case("an action and its event, kind `app`", "action", ACTION_ROWS, 2000, 100),
        case("1000 patches of a state with 1000 tasks", "patches", PATCHES_ROWS, 10, 1),
        case("20 pending actions on a small state", "rebase", REBASE_ROWS, 2000, 100),
        case("a million events" if not quick else "10 000 events", "memory", GROWTH_ROWS, 1_000_000, 10_000),
    ]
