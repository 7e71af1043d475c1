"""The measurements. Each starts a fresh server or library, puts one load on it, and returns its numbers."""

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass

from harness import machine, tools
from harness.contenders import ACTION
from harness.processes import Child, Failure, output_of

SETTLE_SECONDS = 0.3
LOAD_SECONDS = 120


@dataclass
class Case:
    """`measure(contender)` returns a dictionary of numbers; `rows` says which of them the table shows."""

    group: str
    title: str
    contenders: tuple
    rows: tuple
    measure: object


class Watch:
    """CPU time of a server, of its load and of everyone else, from `with` to the end of the block.

    Without a server, the load is all that runs.
    """

    def __init__(self, server=None, load_pids=()):
        self.server_pids, self.load_pids = server.pids() if server else [], load_pids

    def _now(self):
        children = os.times()
        load = machine.cpu_seconds(self.load_pids) + children.children_user + children.children_system
        return time.monotonic(), machine.cpu_seconds(self.server_pids), load, machine.busy_seconds()

    def __enter__(self):
        self.begin = self._now()
        return self

    def __exit__(self, kind, *_):
        if kind:
            return
        wall, self.cpu, load, busy = (end - begin for begin, end in zip(self.begin, self._now()))
        others = busy - self.cpu - load
        self.others_percent = max(0, others / (wall * machine.cores()) * 100)


def wrk(contender, seconds, sessions):
    """Requests as fast as 64 connections can: POST of an action to each session in turn, or GET /healthz."""
    with contender.start() as server, tempfile.NamedTemporaryFile("w", dir=tools.WORK) as paths:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BENCH_")}
        if sessions:
            paths.writelines(f"{publish}\n" for _, publish in contender.create_sessions(server, sessions))
            paths.flush()
            environment |= {"BENCH_SESSIONS": paths.name, "BENCH_BODY": ACTION}
        elif server.get("/healthz") != 200:
            raise Failure(f"{contender.name} does not answer 200 to GET /healthz")

        def load(duration):
            command = ["wrk", "-t1", "-c64", f"-d{duration}s", "-s", tools.FOLDER / "load" / "wrk.lua",
                       f"http://127.0.0.1:{server.port}/healthz"]
            output = output_of(command, duration + 20, env=environment)
            return json.loads(output.strip().rpartition("\n")[2])

        load(1)  # warms caches, pools and heaps
        with Watch(server) as watch:
            result = load(seconds)
    errors = {key: result[key] for key in ("badStatus", "socketErrors", "timeouts") if result[key]}
    if errors or not result["requests"]:
        raise Failure(f"{contender.name}: {result['requests']} requests with errors {errors}")
    return {
        **result,
        "perSecond": result["requests"] / result["seconds"],
        "cpuMicroseconds": watch.cpu / result["requests"] * 1e6,
        "othersPercent": watch.others_percent,
    }


class Streams:
    """The load program with its streams open; `with` gives it when all of them are."""

    def __init__(self, contender, server, paths, subscribers, publications=0, rate=0, publishers=1):
        self.file = tempfile.NamedTemporaryFile("w", dir=tools.WORK)
        self.file.writelines(f"{events} {publish}\n" for events, publish in paths)
        self.file.flush()
        self.name = contender.name
        self.child = Child(
            [tools.WORK / "fanout", server.port, self.file.name, subscribers, publications, rate, publishers,
             int(contender.first_event), contender.publication],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        self._answer()
        return self

    def __exit__(self, *_):
        self.child.stop()
        self.file.close()

    def _answer(self):
        answer = json.loads(self.child.read_line(LOAD_SECONDS))
        if "failure" in answer:
            raise Failure(f"{self.name}: {answer['failure']}")
        return answer

    def publish(self):
        self.child.process.stdin.write(b"go\n")
        self.child.process.stdin.flush()
        return self._answer()


def fanout(contender, sessions, subscribers, publications, rate=0, publishers=1):
    """Publishes to open streams and counts what arrives. The CPU holds the publications' own requests too."""
    with contender.start() as server:
        paths = contender.create_sessions(server, sessions)
        with Streams(contender, server, paths, subscribers, publications, rate, publishers) as streams:
            time.sleep(SETTLE_SECONDS)
            with Watch(server, [streams.child.pid]) as watch:
                result = streams.publish()
    if result["missing"]:
        raise Failure(f"{contender.name}: {result['missing']} deliveries are missing")
    return {
        **result,
        "perSecond": result["deliveries"] / result["seconds"],
        "cpuMicroseconds": watch.cpu / result["deliveries"] * 1e6,
        "othersPercent": watch.others_percent,
    }


def memory(contender, count):
    """What a server holds at start, for each idle session, and for each subscriber of a session of its own."""
    with contender.start() as server:
        time.sleep(SETTLE_SECONDS)
        at_start = machine.memory_kb(server.pids())
        paths = contender.create_sessions(server, count)
        time.sleep(SETTLE_SECONDS)
        with_sessions = machine.memory_kb(server.pids())
        with Streams(contender, server, paths, 1):
            time.sleep(SETTLE_SECONDS)
            with_streams = machine.memory_kb(server.pids())
        result = {"count": count, "startMilliseconds": server.start_seconds * 1e3}
    for kind in ("rss", "pss"):
        result[f"{kind}StartMB"] = at_start[kind] / 1024
        result[f"{kind}SessionKB"] = (with_sessions[kind] - at_start[kind]) / count
        result[f"{kind}SubscriberKB"] = (with_streams[kind] - with_sessions[kind]) / count
    return result


def library(contender, case, milliseconds):
    """One case of a library, in a process of its own."""
    with Watch() as watch:
        result = contender.run(case, milliseconds)
    return {**result, "othersPercent": watch.others_percent}


REQUEST_ROWS = (
    ("perSecond", "requests/s", 0), ("cpuMicroseconds", "server CPU a request, µs", 2),
    ("p50Ms", "p50, ms", 2), ("p99Ms", "p99, ms", 2),
)
FANOUT_ROWS = (
    ("perSecond", "deliveries/s", 0), ("cpuMicroseconds", "server CPU a delivery, µs", 2),
    ("p50Ms", "p50 to the last receipt, ms", 2), ("p99Ms", "p99 to the last receipt, ms", 2),
)
MEMORY_ROWS = (
    ("rssSubscriberKB", "VmRSS a subscriber, KB", 2), ("pssSubscriberKB", "Pss a subscriber, KB", 2),
    ("rssSessionKB", "VmRSS an idle session, KB", 2), ("pssSessionKB", "Pss an idle session, KB", 2),
    ("rssStartMB", "VmRSS at start, MB", 1), ("startMilliseconds", "start to listening, ms", 0),
)
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


def library_cases(quick):
    """The cases of the libraries, in the order of their table."""
    both, milliseconds = ("stores", "redux"), 200 if quick else 500

    def case(title, name, rows, contenders=both):
        return Case("stores", title, contenders, rows, lambda contender: library(contender, name, milliseconds))

    return [
        case("`app`, counter/increment, nobody watches", "dispatch", DISPATCH_ROWS),
        case("the same, three middlewares and a subscriber", "middleware", DISPATCH_ROWS),
        case("the same, several threads", "threads", THREAD_ROWS, ("stores",)),
        case("a composed reducer", "slices", SLICE_ROWS),
        case("`planner`, tasks/edit of a random task, a subscriber", "tasks", TASK_ROWS),
    ]


def server_cases(quick):
    """The cases of the servers, in the order of their table."""
    every, state = ("storehouse", "go", "nginx"), ("storehouse", "go")
    seconds = 2 if quick else 8
    one, many, timed = (100, 5, 400) if quick else (400, 20, 2000)
    count = 2000 if quick else 15000
    return [
        Case("post", "POST counter/increment, 1000 sessions", state, REQUEST_ROWS,
             lambda contender: wrk(contender, seconds, 1000)),
        Case("health", "GET /healthz", every, REQUEST_ROWS,
             lambda contender: wrk(contender, seconds, 0)),
        Case("fanout", "1 session × 1000 subscribers, back to back", every, FANOUT_ROWS,
             lambda contender: fanout(contender, 1, 1000, one)),
        Case("fanout", "1000 sessions × 10 subscribers, 16 publishers", every, FANOUT_ROWS,
             lambda contender: fanout(contender, 1000, 10, many, publishers=16)),
        Case("fanout", "1 session × 1000 subscribers, 200 actions/s", every, FANOUT_ROWS,
             lambda contender: fanout(contender, 1, 1000, timed, rate=200)),
        Case("memory", f"{count} sessions × 1 subscriber", every, MEMORY_ROWS,
             lambda contender: memory(contender, count)),
    ]
