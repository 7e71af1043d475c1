"""Several nodes on Redis: the cost of actions, takeovers, streams across nodes, and the space in Redis."""

import contextlib
import http.client
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import machine, tools
from harness.contenders import ACTION, free_port
from harness.loads import SETTLE_SECONDS, Streams, Watch, paced, wrk
from harness.processes import Child, Failure

# Of each node, because a cluster grows with its clients.
CONNECTIONS = 64
SESSIONS = 1000
LEASE = 5
READY_SECONDS = 20
SECRETS = {"STOREHOUSE_STORAGE_KEY": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
           "STOREHOUSE_CLUSTER_SECRET": "the-secret-of-the-benchmark-is-no-secret"}


class Redis:
    """A redis-server that syncs each write."""

    def __init__(self, folder):
        self.port = free_port()
        self.child = Child(["redis-server", "--port", self.port, "--dir", folder, "--save", "", "--appendonly", "yes",
                            "--appendfsync", "always"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + READY_SECONDS
        while self.ask("PING") != "PONG":
            if time.monotonic() > deadline:
                raise Failure("redis-server does not answer")

    def ask(self, *arguments):
        done = subprocess.run(["redis-cli", "-p", str(self.port), *arguments], capture_output=True, text=True, check=False)
        return done.stdout.strip()

    def number(self, name):
        return int(re.search(rf"^{name}:(\d+)", self.ask("INFO"), re.MULTILINE)[1])


class Running:
    """The nodes of a cluster, and its Redis server."""

    def __init__(self, contender, redis, servers, settings):
        self.contender, self.redis, self.servers, self.settings = contender, redis, servers, settings
        # For the load programs that take several.
        self.port = ",".join(str(server.port) for server in servers)

    def pids(self):
        return [pid for server in self.servers for pid in server.pids()]

    def forwarded(self):
        """How many requests the nodes have forwarded."""
        values = (re.search(r"^storehouse_cluster_forwarded_requests_total (\d+)", server.read("/metrics"), re.MULTILINE)
                  for server in self.servers)
        return sum(int(value[1]) for value in values if value)

    def create_sessions(self, count):
        """The paths for actions by node; each node has created its own."""
        each = count // len(self.servers)
        return [[actions for _, actions in self.contender.create_sessions(server, each)] for server in self.servers]


class Cluster:
    """So many nodes of Storehouse on one Redis server; with none, one server in memory."""

    first_event, publication = True, ACTION

    def __init__(self, contender, name, count):
        self.contender, self.name, self.count = contender, name, count

    def start_node(self, settings, port):
        node = dict(settings, STOREHOUSE_CLUSTER_ADDRESS=f"127.0.0.1:{port}", STOREHOUSE_HTTP_PORT=str(port))
        server = self.contender.start(node if self.count else settings, port=port if self.count else None)
        deadline = time.monotonic() + READY_SECONDS
        while server.get("/readyz") != 200:
            if time.monotonic() > deadline:
                raise Failure(f"{self.name}: a node is not ready")
            time.sleep(0.01)
        return server

    @contextlib.contextmanager
    def start(self):
        settings, redis = {"STOREHOUSE_STREAMS_MAX_PER_SESSION": "5000"}, None
        with contextlib.ExitStack() as stack:
            if self.count:
                folder = Path(tempfile.mkdtemp(prefix="cluster-", dir=tools.WORK))
                stack.callback(shutil.rmtree, folder)
                redis = Redis(folder)
                stack.callback(redis.child.stop)
                settings |= SECRETS | {"STOREHOUSE_STORAGE_KIND": "redis", "STOREHOUSE_CLUSTER_LEASE": str(LEASE),
                                       "STOREHOUSE_STORAGE_REDIS_URL": f"redis://127.0.0.1:{redis.port}/0"}
            servers = []
            stack.callback(lambda: [server.child.stop() for server in servers])
            for _ in range(max(1, self.count)):
                servers.append(self.start_node(settings, free_port()))
            yield Running(self.contender, redis, servers, settings)


def clusters(contender, before=None):
    """The clusters by their names, and one of an earlier build if there is one."""
    every = [Cluster(contender, "memory", 0), *(Cluster(contender, _name(count), count) for count in (1, 2, 4))]
    if before:
        every.append(Cluster(before, "4 nodes before", 4))
    return {cluster.name: cluster for cluster in every}


def _name(count):
    return f"{count} node{'s' if count > 1 else ''}"


def posts_to_owners(cluster, seconds):
    """Actions to all nodes at once, each to the owner of its session."""
    with cluster.start() as running:
        return _post(running, running.create_sessions(SESSIONS), seconds)


def posts_at_rate(cluster, rate, seconds):
    """Actions to one node at a steady rate."""
    with cluster.start() as running:
        (server,), (paths,) = running.servers, running.create_sessions(SESSIONS)
        paced(server, CONNECTIONS, rate, 1, paths, ACTION)
        with Watch(running) as watch:
            load = paced(server, CONNECTIONS, rate, seconds, paths, ACTION)
    return load | {"cpuMicroseconds": watch.cpu / load["requests"] * 1e6, "othersPercent": watch.others_percent}


def posts_to_any(cluster, seconds):
    """Actions to all nodes at once, each to any node. A node forwards those of other nodes' sessions."""
    with cluster.start() as running:
        every = [path for paths in running.create_sessions(SESSIONS) for path in paths]
        return _post(running, [random.Random(number).sample(every, len(every)) for number in range(len(running.servers))], seconds)


def posts_to_others(cluster, seconds):
    """Actions to all nodes at once, each to one of two nodes that forward it; before that, the same to the owners. A single node that
    forwards all actions of a session would be given the session."""
    with cluster.start() as running:
        owned = running.create_sessions(SESSIONS)
        direct = _post(running, owned, seconds)
        shares = [owned[number - 1] + owned[number - 2] for number in range(len(owned))]
        result = _post(running, [random.Random(number).sample(share, len(share)) for number, share in enumerate(shares)], seconds)
    return result | {"directTimes": result["cpuMicroseconds"] / direct["cpuMicroseconds"]}


def _post(running, shares, seconds):
    """Posts to each node the actions of its share."""
    def load(seconds):
        with ThreadPoolExecutor(len(shares)) as threads:
            return list(threads.map(
                lambda pair: wrk(pair[0], CONNECTIONS, seconds, pair[1], ACTION), zip(running.servers, shares)))

    load(1)
    redis = [running.redis.child.pid] if running.redis else []
    before = machine.precise_cpu_seconds(redis), running.forwarded()
    with Watch(running, redis) as watch:
        loads = load(seconds)
    spent, forwarded = machine.precise_cpu_seconds(redis) - before[0], running.forwarded() - before[1]
    requests = sum(each["requests"] for each in loads)
    result = {
        "perSecond": sum(each["perSecond"] for each in loads), "cpuMicroseconds": watch.cpu / requests * 1e6,
        "p50Ms": max(each["p50Ms"] for each in loads), "p99Ms": max(each["p99Ms"] for each in loads),
        "forwardedPercent": forwarded / requests * 100, "othersPercent": watch.others_percent}
    return result | ({"redisMicroseconds": spent / requests * 1e6} if redis else {})


def takeovers(cluster, rounds, sessions):
    """Kills a node, and asks other nodes for its sessions: the time until each of them has committed."""
    times = []
    with cluster.start() as running:
        for _ in range(rounds):
            victim = running.servers.pop(0)
            paths = [actions for _, actions in cluster.contender.create_sessions(victim, sessions)]
            others = running.servers
            begin = time.monotonic()
            victim.child.signal_group(signal.SIGKILL)
            victim.child.stop()
            with ThreadPoolExecutor(sessions) as threads:
                times += threads.map(
                    lambda pair: _until_committed(others[pair[0] % len(others)], pair[1]) - begin, enumerate(paths))
            running.servers.append(cluster.start_node(running.settings, victim.port))
    times.sort()
    return {"takeoverP50": times[len(times) // 2], "takeoverP99": times[min(len(times) - 1, len(times) * 99 // 100)],
            "takeoverMost": times[-1], "takeoverLease": LEASE}


def _until_committed(server, path):
    """Posts to a session until that succeeds; the time."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if server.ask(path, ACTION)[0] == 200:
                return time.monotonic()
        time.sleep(0.005)
    raise Failure(f"no commit to {path} within 60 s")


def fanout(cluster, subscribers, publications):
    """One session with streams on all nodes in turn. Every delivery is counted."""
    with cluster.start() as running:
        paths = cluster.contender.create_sessions(running.servers[0], 1)
        with Streams(cluster, running, paths, subscribers, publications) as streams:
            time.sleep(SETTLE_SECONDS)
            with Watch(running, [streams.child.pid]) as watch:
                result = streams.go()
    if result["missing"]:
        raise Failure(f"{cluster.name}: {result['missing']} deliveries are missing")
    return {**result, "perSecond": result["deliveries"] / result["seconds"],
            "cpuMicroseconds": watch.cpu / result["deliveries"] * 1e6, "othersPercent": watch.others_percent}


def space(cluster, sessions, commits):
    """What Redis needs for idle sessions, and for the commits of one tenth of them."""
    with cluster.start() as running:
        redis = running.redis
        empty = redis.number("used_memory"), redis.number("aof_current_size")
        paths = [actions for _, actions in cluster.contender.create_sessions(running.servers[0], sessions)]
        created = redis.number("used_memory"), redis.number("aof_current_size")
        server = running.servers[0]
        active = paths[:sessions // 10]
        connection = server.connection()
        for _ in range(commits):
            for path in active:
                connection.request("POST", path, ACTION, {"Content-Type": "application/json"})
                if (answer := connection.getresponse()).status != 200:
                    raise Failure(f"{answer.status} to {path}")
                answer.read()
        connection.close()
        written = redis.number("used_memory"), redis.number("aof_current_size")
    count = len(active) * commits
    return {"sessionBytes": (created[0] - empty[0]) / sessions, "sessionFileBytes": (created[1] - empty[1]) / sessions,
            "commitBytes": (written[0] - created[0]) / count, "commitFileBytes": (written[1] - created[1]) / count}
