"""The measurements. Each starts a fresh server, puts one load on it, and returns its numbers."""

import time
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import fmean

from harness import calls, cluster, durable, fetching, growth, journal, large, machine
from harness.contenders import OutboxServer
from harness.loads import SETTLE_SECONDS, Multiplexed, SessionLoad, Streams, Watch, crowd, wrk
from harness.processes import Failure

SILENT_SECONDS = 4
NEVER = 3600  # seconds between heartbeats


@dataclass
class Case:
    """`measure(contender)` returns a dictionary of numbers; `rows` says which of them the table shows."""

    group: str
    title: str
    contenders: tuple
    rows: tuple
    measure: object


@contextmanager
def requests(contender, server, sessions, connections=64):
    """A load of requests as fast as its connections can, warmed up: POST of its action to each session in turn, or
    GET /healthz. It takes seconds, and what else is load meanwhile."""
    paths = [publish for _, publish in contender.create_sessions(server, sessions)] if sessions else None
    if not paths and server.get("/healthz") != 200:
        raise Failure(f"{contender.name} does not answer 200 to GET /healthz")

    def load(seconds, load_pids=()):
        with Watch(server, load_pids) as watch:
            result = wrk(server, connections, seconds, paths, contender.publication, contender.headers)
        return {
            **result,
            "cpuMicroseconds": watch.cpu / result["requests"] * 1e6,
            "othersPercent": watch.others_percent,
        }

    load(1)  # warms caches, pools and heaps
    yield load


def alone(contender, seconds, sessions):
    """Requests by themselves."""
    with contender.start() as server, requests(contender, server, sessions) as load:
        return load(seconds)


def beside_idle(contender, seconds, count):
    """Actions with and without idle connections, alternating, on one server."""
    alone, beside = [], []
    with contender.start() as server, requests(contender, server, 1000) as load:
        for _ in range(2):
            alone.append(load(max(1, seconds // 2)))
            with crowd(contender, server, count) as idle:
                time.sleep(SETTLE_SECONDS)
                beside.append(load(max(1, seconds // 2), [idle.child.pid]))
                idle.go()  # fails if one of them was closed
            time.sleep(SETTLE_SECONDS)
    result = {"others": [each["othersPercent"] for each in alone + beside]}
    for key in ("perSecond", "cpuMicroseconds", "p99Ms"):
        result[key] = fmean(each[key] for each in beside)
        result[f"{key}Alone"] = fmean(each[key] for each in alone)
        result[f"{key}Percent"] = result[key] / result[f"{key}Alone"] * 100
    return result | {"othersPercent": fmean(result.pop("others"))}


def beside_drips(contender, seconds, count):
    """One client that requests /healthz repeatedly, alone and beside requests that never end."""
    with contender.start() as server, requests(contender, server, 0, connections=1) as load:
        alone = load(seconds)
        # One byte every three seconds, long enough that all exceed the server's timeout of ten seconds.
        with crowd(contender, server, count, 3) as drips:
            beside = load(seconds * 2, [drips.child.pid])
            closed = drips.go()["closed"]
    return {**beside, "p50MsAlone": alone["p50Ms"], "p99MsAlone": alone["p99Ms"], "closed": closed}


def fanout(contender, sessions, subscribers, publications, rate=0, publishers=1):
    """Publishes to open streams and counts deliveries. The CPU includes the publishing requests."""
    with contender.start() as server:
        paths = contender.create_sessions(server, sessions)
        with Streams(contender, server, paths, subscribers, publications, rate, publishers) as streams:
            time.sleep(SETTLE_SECONDS)
            with Watch(server, [streams.child.pid]) as watch:
                result = streams.go()
    if result["missing"]:
        raise Failure(f"{contender.name}: {result['missing']} deliveries are missing")
    return {
        **result,
        "perSecond": result["deliveries"] / result["seconds"],
        "cpuMicroseconds": watch.cpu / result["deliveries"] * 1e6,
        "bytesPerDelivery": result["bytes"] / result["deliveries"],
        "othersPercent": watch.others_percent,
    }


def beside_sync(contender, subscribers, publications):
    """Streams without and with `?sync=`, alternating. With it another client sends the actions, as entries of its outbox."""
    plain, synced = [], []
    for _ in range(2):
        plain.append(fanout(contender, 1, subscribers, publications))
        synced.append(fanout(OutboxServer(contender), 1, subscribers, publications))
    result = {"othersPercent": fmean(each["othersPercent"] for each in plain + synced)}
    for key in ("bytesPerDelivery", "cpuMicroseconds", "p50Ms"):
        result[f"{key}Plain"] = fmean(each[key] for each in plain)
        result[key] = fmean(each[key] for each in synced)
    result["bytesAdded"] = result["bytesPerDelivery"] - result["bytesPerDeliveryPlain"]
    result["cpuAddedPercent"] = (result["cpuMicroseconds"] / result["cpuMicrosecondsPlain"] - 1) * 100
    return result


def memory(contender, sessions, streams=1):
    """Memory of a server at start, per idle session, and per subscriber, so many on each session."""
    with contender.start(heartbeat=NEVER) as server:
        time.sleep(SETTLE_SECONDS)
        at_start = machine.memory_kb(server.pids())
        paths = contender.create_sessions(server, sessions)
        time.sleep(SETTLE_SECONDS)
        with_sessions = machine.memory_kb(server.pids())
        with Streams(contender, server, paths, streams):
            time.sleep(SETTLE_SECONDS)
            with_streams = machine.memory_kb(server.pids())
            before = machine.precise_cpu_seconds(server.pids())
            time.sleep(SILENT_SECONDS)
            silent = machine.precise_cpu_seconds(server.pids()) - before
        result = {
            "count": sessions * streams, "silentCpuPercent": silent / SILENT_SECONDS * 100,
            "startMilliseconds": server.start_seconds * 1e3,
        }
    for kind in ("rss", "pss"):
        result[f"{kind}StartMB"] = at_start[kind] / 1024
        result[f"{kind}SessionKB"] = (with_sessions[kind] - at_start[kind]) / sessions
        result[f"{kind}SubscriberKB"] = (with_streams[kind] - with_sessions[kind]) / (sessions * streams)
        result[f"{kind}AllMB"] = with_streams[kind] / 1024
    return result


def rush(contender, count, seconds, rate):
    """Streams that close and reconnect within these seconds, beside actions at a steady rate."""
    with contender.start() as server:
        paths = contender.create_sessions(server, count)
        body = contender.publication.replace("@REVISION@", "1")
        with SessionLoad(contender, "rush", server, paths, seconds, rate, int(contender.first_event), body) as load:
            time.sleep(SETTLE_SECONDS)
            with Watch(server, [load.child.pid]) as watch:
                result = load.go()
    return {**result, "cpuMicroseconds": watch.cpu / count * 1e6, "othersPercent": watch.others_percent}


REQUEST_ROWS = (
    ("perSecond", "requests/s", 0), ("cpuMicroseconds", "server CPU a request, µs", 2),
    ("p50Ms", "p50, ms", 2), ("p99Ms", "p99, ms", 2),
)
IDLE_ROWS = (
    ("perSecondAlone", "alone, requests/s", 0), ("perSecond", "beside them, requests/s", 0),
    ("perSecondPercent", "of that alone, %", 1),
    ("cpuMicrosecondsAlone", "alone, server CPU a request, µs", 2),
    ("cpuMicroseconds", "beside them, server CPU a request, µs", 2),
    ("cpuMicrosecondsPercent", "of that alone, %", 1),
)
DRIP_ROWS = (
    ("p50MsAlone", "p50 alone, ms", 2), ("p50Ms", "p50 beside them, ms", 2),
    ("p99MsAlone", "p99 alone, ms", 2), ("p99Ms", "p99 beside them, ms", 2),
    ("closed", "of them closed by the server", 0),
)
CALL_ROWS = (
    ("reads", "reads a request", 2), ("writes", "writes a request", 2), ("others", "other calls a request", 2),
    ("pipelinedReads", "reads for 16 in one segment", 2), ("pipelinedWrites", "writes for 16 in one segment", 2),
    ("pipelinedOthers", "other calls for 16 in one segment", 2), ("allocations", "allocations a request", 2),
)
FANOUT_ROWS = (
    ("perSecond", "deliveries/s", 0), ("cpuMicroseconds", "server CPU a delivery, µs", 2),
    ("p50Ms", "p50 to the last receipt, ms", 2), ("p99Ms", "p99 to the last receipt, ms", 2),
)
SYNC_ROWS = (
    ("bytesPerDeliveryPlain", "without, bytes a delivery", 1), ("bytesPerDelivery", "with `?sync=`, bytes a delivery", 1),
    ("bytesAdded", "more, bytes", 1),
    ("cpuMicrosecondsPlain", "without, server CPU a delivery, µs", 3),
    ("cpuMicroseconds", "with `?sync=`, server CPU a delivery, µs", 3), ("cpuAddedPercent", "more, %", 1),
    ("p50MsPlain", "without, p50 to the last receipt, ms", 2), ("p50Ms", "with `?sync=`, p50 to the last receipt, ms", 2),
)
RUSH_ROWS = (
    ("lastMs", "the last is served after, ms", 1),
    ("servedP50Ms", "p50 of a stream, ms", 2), ("servedP99Ms", "p99 of a stream, ms", 2),
    ("cpuMicroseconds", "server CPU a stream, µs", 1),
    ("p99MsAlone", "p99 of actions before, ms", 2), ("p99Ms", "p99 of actions meanwhile, ms", 2),
)
GROWTH_ROWS = (
    ("subscriberKB", "Pss a subscriber, KB", 2), ("kernelKB", "kernel memory a subscriber, KB", 2),
    ("heartbeatMicroseconds", "server CPU a heartbeat, µs", 2),
)
MEMORY_ROWS = (
    ("rssSubscriberKB", "VmRSS a subscriber, KB", 2), ("pssSubscriberKB", "Pss a subscriber, KB", 2),
    ("rssSessionKB", "VmRSS an idle session, KB", 2), ("pssSessionKB", "Pss an idle session, KB", 2),
    ("rssAllMB", "VmRSS of all together, MB", 1), ("silentCpuPercent", "CPU while nothing is due, % of a core", 2),
    ("rssStartMB", "VmRSS at start, MB", 1), ("startMilliseconds", "start to listening, ms", 0),
)
SHARED_MEMORY_ROWS = (
    ("rssSubscriberKB", "VmRSS a subscriber, KB", 2), ("pssSubscriberKB", "Pss a subscriber, KB", 2),
    ("rssAllMB", "VmRSS of all together, MB", 1), ("silentCpuPercent", "CPU while nothing is due, % of a core", 2),
)
FETCH_ROWS = (
    ("settled", "first action to last answer, s", 2), ("callMicroseconds", "CPU a call, µs", 1),
    ("wholeMicroseconds", "with the request that asked for it, µs", 1), ("residentMB", "more resident at most, MB", 1),
)


DURABLE_ROWS = (
    ("perSecond", "requests/s", 0), ("cpuMicroseconds", "server CPU a request, µs", 2),
    ("p50Ms", "p50, ms", 2), ("p99Ms", "p99, ms", 2),
    ("transactions", "transactions/s; the disk: fdatasync/s", 0),
    ("quarterP50Ms", "at a quarter of that rate: p50, ms", 2), ("quarterP99Ms", "the same: p99, ms", 2),
    ("writtenBytes", "written to the log and the file, bytes a commit", 0),
    ("aloneP50Ms", "one connection: p50, ms; the disk: of fdatasync", 3), ("aloneP99Ms", "the same: p99, ms", 3),
    ("commitBytes", "the file grows by, bytes a commit", 0),
)
FOUND_ROWS = (
    ("startMs", "start to listening, ms", 0), ("startMB", "VmRSS then, MB", 1),
    ("wakeP50Ms", "GET of a session at rest: p50, ms", 2), ("wakeP99Ms", "p99, ms", 2),
    ("wakes", "by 16 connections, requests/s", 0), ("manyP99Ms", "p99, ms", 2),
    ("cpuMicroseconds", "server CPU a request, µs", 1),
    ("resident", "sessions in memory afterwards", 0), ("residentMB", "VmRSS then, MB", 1),
)
PAST_ROWS = (("p50Ms", "p50, ms", 2), ("p99Ms", "p99, ms", 2), ("cpuMicroseconds", "server CPU a request, µs", 1))


def durable_cases(quick):
    """The cases of durable sessions, in the order of their table."""
    seconds = 2 if quick else 8
    counts = (1000, 10000) if quick else (1000, 10000, 100000, 1000000)

    def posts(count):
        return Case("durable", f"POST counter/increment, 64 connections, 1000 of {count} sessions",
                    ("memory", "relaxed", "full", "disk"), DURABLE_ROWS,
                    lambda contender: durable.posts(contender, count, seconds))

    return [
        *map(posts, counts),
        Case("durable", f"{counts[-1]} sessions at rest", ("full",), FOUND_ROWS,
             lambda contender: durable.found(contender, counts[-1], seconds)),
        Case("durable", f"GET of an earlier state, {durable.COMMITS} commits", ("full",), PAST_ROWS,
             lambda contender: durable.past(contender, seconds)),
        Case("journal", f"{10 * counts[0]} sessions of kind app, commits of {journal.ACTIVE} of them",
             ("memory", "full", "redis"), journal.ROWS, lambda contender: journal.measure(contender, 10 * counts[0])),
    ]


CLUSTER_ROWS = (
    ("perSecond", "requests/s", 0), ("cpuMicroseconds", "CPU of all nodes a request, µs", 2),
    ("redisMicroseconds", "CPU of Redis a request, µs", 2), ("p50Ms", "p50, ms", 2), ("p99Ms", "p99, ms", 2),
)
RATE_ROWS = CLUSTER_ROWS[1:2] + CLUSTER_ROWS[3:]
RATES = (4000, 8000, 16_000)
FORWARDED_ROWS = CLUSTER_ROWS + (("forwardedPercent", "of them forwarded, %", 0),)
TIMES_ROW = ("directTimes", "CPU of all nodes, times that of the same requests to the owners", 2)
TAKEOVER_ROWS = (
    ("takeoverLease", "`cluster.lease`, s", 0), ("takeoverP50", "p50, s", 2), ("takeoverP99", "p99, s", 2),
    ("takeoverMost", "the longest, s", 2),
)
SPACE_ROWS = (
    ("sessionBytes", "an idle session, bytes of memory", 0), ("sessionFileBytes", "the same, bytes of the append-only file", 0),
    ("commitBytes", "a commit, bytes of memory", 0), ("commitFileBytes", "the same, bytes of the append-only file", 0),
)


def cluster_cases(quick):
    """The cases of several nodes, in the order of their table."""
    seconds, subscribers = (2, 400) if quick else (8, 4000)
    rounds, victims = (2, 10) if quick else (10, 20)

    def posts(title, measure, contenders, rows=CLUSTER_ROWS):
        return Case("cluster", f"POST counter/increment, 1000 sessions, {title}", contenders, rows,
                    lambda contender: measure(contender, seconds))

    return [
        posts("each at its owner", cluster.posts_to_owners, ("memory", "1 node", "2 nodes", "4 nodes")),
        *(Case("cluster", f"POST counter/increment, 1000 sessions, {rate} a second", ("memory", "1 node"), RATE_ROWS,
               lambda contender, rate=rate: cluster.posts_at_rate(contender, rate, seconds)) for rate in RATES),
        posts("each at any node", cluster.posts_to_any, ("2 nodes", "4 nodes"), FORWARDED_ROWS),
        posts("each at two other nodes", cluster.posts_to_others, ("4 nodes",), FORWARDED_ROWS + (TIMES_ROW,)),
        Case("cluster", "kill -9 of a node: the first commit of each of its sessions", ("2 nodes", "4 nodes"), TAKEOVER_ROWS,
             lambda contender: cluster.takeovers(contender, rounds, victims)),
        Case("cluster", f"1 session × {subscribers} subscribers on all nodes", ("memory", "1 node", "4 nodes"), FANOUT_ROWS,
             lambda contender: cluster.fanout(contender, subscribers, 50 if quick else 200)),
        Case("cluster", "space in Redis", ("1 node",), SPACE_ROWS,
             lambda contender: cluster.space(contender, 1000 if quick else 10000, 20)),
    ]


CROWD_ROWS = (
    ("megabytes", "memory of the server, MB", 0), ("streamBytes", "a stream, bytes", 0), ("openSeconds", "to open all, s", 1),
    ("seconds", "one commit to all, s", 2), ("cpuMicroseconds", "server CPU a delivery, µs", 2),
)


def multiplexed(contender, connections):
    """A session with a hundred streams on each connection of HTTP/2, and five commits, one after the other."""
    with contender.start({"STOREHOUSE_STREAMS_MAX_PER_SESSION": "1000000"}, heartbeat=NEVER) as server:
        paths = contender.create_sessions(server, 1)[0]
        time.sleep(SETTLE_SECONDS)
        start, begin = machine.memory_kb(server.pids())["rss"], time.monotonic()
        with Multiplexed(contender, server, paths, connections) as load:
            opened = time.monotonic()
            with Watch(server, [load.child.pid]) as watch:
                commits = [load.go()["seconds"] for _ in range(5)]
            memory = machine.memory_kb(server.pids())["rss"]
    streams = connections * 100
    return {
        "megabytes": memory / 1024, "streamBytes": (memory - start) * 1024 / streams, "openSeconds": opened - begin,
        "seconds": fmean(commits), "cpuMicroseconds": watch.cpu / len(commits) / streams * 1e6,
        "othersPercent": watch.others_percent,
    }


def proxy_cases(quick):
    """The cases of a server behind a proxy."""
    connections = 100 if quick else 10_000
    ways = ("direct", "by TCP", "by a Unix socket", "by h2", "by h2 on a Unix socket")
    return [
        Case("http2", "POST counter/increment, 1000 sessions, behind HAProxy", ways, REQUEST_ROWS,
             lambda contender: alone(contender, 2 if quick else 8, 1000)),
        Case("http2", "1 session × 1000 subscribers behind HAProxy, back to back", ways, FANOUT_ROWS,
             lambda contender: fanout(contender, 1, 1000, 100 if quick else 400)),
        Case("http2", f"1 session × {connections * 100} subscribers on {connections} connections", ways[:1], CROWD_ROWS,
             lambda contender: multiplexed(contender, connections)),
    ]


def server_cases(quick):
    """The cases of the servers, in the order of their table."""
    every, state = ("storehouse", "go", "nginx"), ("storehouse", "go")
    bare = ("floor",)
    seconds = 2 if quick else 8
    one, many, timed = (100, 5, 400) if quick else (400, 20, 2000)
    count, rushing = (2000, 2000) if quick else (15000, 10000)
    sizes = (10, 100, 1000) if quick else (10, 30, 100, 300, 1000, 3000, 10000, 15000)
    return [
        Case("post", "POST counter/increment, 1000 sessions", state + ("with a token",) + bare, REQUEST_ROWS,
             lambda contender: alone(contender, seconds, 1000)),
        Case("declared", "POST to one store, declared in three ways", ("by-hand", "defined", "codable"), REQUEST_ROWS,
             lambda contender: alone(contender, seconds, 1000)),
        Case("health", "GET /healthz", every + bare, REQUEST_ROWS,
             lambda contender: alone(contender, seconds, 0)),
        *(Case("large", f"counter/increment beside {tasks} tasks", ("storehouse",), large.ROWS,
               lambda contender, tasks=tasks: large.measure(contender, tasks, 100 if quick else 1000))
          for tasks in ((10, 5000) if quick else (10, 500, 5000, 100_000))),
        Case("open", "the same POST beside 10 000 idle connections", state, IDLE_ROWS,
             lambda contender: beside_idle(contender, seconds, 10000)),
        Case("drip", "GET /healthz by one client, beside 5000 dripping connections", every, DRIP_ROWS,
             lambda contender: beside_drips(contender, seconds, 5000)),
        Case("calls", "system calls: POST counter/increment", state, CALL_ROWS,
             lambda contender: calls.calls(contender, post=True)),
        Case("calls", "system calls: GET /healthz", every, CALL_ROWS,
             lambda contender: calls.calls(contender, post=False)),
        Case("fanout", "1 session × 1000 subscribers, back to back", every + bare, FANOUT_ROWS,
             lambda contender: fanout(contender, 1, 1000, one)),
        Case("fanout", "1000 sessions × 10 subscribers, 16 publishers", every + bare, FANOUT_ROWS,
             lambda contender: fanout(contender, 1000, 10, many, publishers=16)),
        Case("fanout", "1 session × 1000 subscribers, 200 actions/s", every + bare, FANOUT_ROWS,
             lambda contender: fanout(contender, 1, 1000, timed, rate=200)),
        Case("sync", "1 session × 1000 subscribers, back to back, without and with `?sync=`", ("storehouse",), SYNC_ROWS,
             lambda contender: beside_sync(contender, 1000, one)),
        Case("memory", f"{count} sessions × 1 subscriber", every, MEMORY_ROWS,
             lambda contender: memory(contender, count)),
        Case("memory", f"1 session × {count} subscribers", every, SHARED_MEMORY_ROWS,
             lambda contender: memory(contender, 1, count)),
        Case("growth", f"{sizes[0]} to {sizes[-1]} subscribers, a heartbeat every 2 s", every, GROWTH_ROWS,
             lambda contender: growth.measure(contender, sizes, 2, 2 if quick else 6)),
        Case("rush", f"{rushing} streams that come back within a second", every, RUSH_ROWS,
             lambda contender: rush(contender, rushing, 1, 500)),
        *(Case("fetch", f"{count} sessions fetch at once, the upstream answers after 1 s",
               ("storehouse", "libcurl"), FETCH_ROWS,
               lambda contender, count=count: fetching.measure(contender, count, count))
          for count in ((1000,) if quick else (1000, 5000))),
        Case("fetch", "300 at once, with the default limit of 256", ("storehouse",), FETCH_ROWS,
             lambda contender: fetching.measure(contender, 300)),
    ]
