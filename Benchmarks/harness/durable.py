"""Durable sessions: the cost of durable commits by the number of sessions, and of loading sessions."""

import json
import random
import re
import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from harness import machine, tools
from harness.contenders import ACTION
from harness.loads import SETTLE_SECONDS, Watch, paced, wrk
from harness.processes import output_of

ACTIVE = 1000  # sessions that receive actions, independent of the total
COMMITS = 10000  # of the session whose earlier revisions are requested


class Disk:
    """The disk alone."""

    name = "disk"


class Journal:
    """Storehouse with one kind of storage."""

    def __init__(self, contender, name, kind, durability):
        self.contender, self.name, self.kind, self.keeps = contender, name, kind, kind == "sqlite"
        self.settings = {"STOREHOUSE_STORAGE_KIND": kind, "STOREHOUSE_STORAGE_DURABILITY": durability,
                         "STOREHOUSE_SESSIONS_MAX": "2000000"}

        self.create_sessions = contender.create_sessions

    def start(self, folder, **settings):
        path = {"STOREHOUSE_STORAGE_PATH": str(folder / "bench.db")} if self.keeps else {}
        return self.contender.start(self.settings | path | settings)


def journals(contender, before=None):
    """Storehouse with each storage, by name, and an earlier build of it if there is one."""
    all_of_them = (Journal(contender, "memory", "memory", "full"), Journal(contender, "relaxed", "sqlite", "relaxed"),
                   Journal(contender, "full", "sqlite", "full"), Journal(contender, "redis", "redis", "full"))
    if before:
        all_of_them += (Journal(before, "full before", "sqlite", "full"),)
    return {journal.name: journal for journal in all_of_them} | {"disk": Disk()}


@contextmanager
def temporary_folder():
    """A temporary directory for a database on the measured disk."""
    folder = Path(tempfile.mkdtemp(prefix="journal-", dir=tools.WORK))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _create(contender, server, count):
    """Creates `count` more sessions of kind `app`; returns their paths."""
    return [actions.removesuffix("/actions") for _, actions in contender.create_sessions(server, count)]


TRANSACTIONS = "storehouse_storage_transaction_duration_seconds_count"


def _number(server, name):
    """One of the server's own metrics."""
    return int(re.search(rf"^{name} (\d+)", server.read("/metrics"), re.MULTILINE)[1])


def bytes_of(folder):
    """The size of the files in a directory."""
    return sum(file.stat().st_size for file in folder.iterdir())


def posts(contender, count, seconds):
    """Actions to a part of the sessions: at full load, at a quarter of that, and one by one."""
    with temporary_folder() as folder:
        if isinstance(contender, Disk):
            bare = json.loads(output_of([tools.WORK / "syncs", folder / "page", seconds], seconds + 60))
            return {"transactions": bare["perSecond"], "aloneP50Ms": bare["p50Ms"], "aloneP99Ms": bare["p99Ms"]}
        with contender.start(folder) as server:
            paths = _create(contender, server, count)
            if contender.keeps:
                server.child.stop()
        kept = bytes_of(folder)
        with contender.start(folder) as server:
            if not contender.keeps:
                paths = _create(contender, server, count)
            actions = [f"{path}/actions" for path in paths[::max(1, count // ACTIVE)][:ACTIVE]]
            loads = [wrk(server, 64, 1, actions, ACTION)]
            before, bytes_before = _number(server, TRANSACTIONS), machine.written_bytes(server.pids())
            with Watch(server) as watch:
                loads.append(load := wrk(server, 64, seconds, actions, ACTION))
            written = _number(server, TRANSACTIONS) - before
            written_bytes = machine.written_bytes(server.pids()) - bytes_before
            loads.append(quarter := paced(server, 64, load["perSecond"] / 4, max(1, seconds // 2), actions, ACTION))
            loads.append(alone := wrk(server, 1, max(1, seconds // 2), actions, ACTION))
        result = {
            "perSecond": load["perSecond"], "p50Ms": load["p50Ms"], "p99Ms": load["p99Ms"],
            "cpuMicroseconds": watch.cpu / load["requests"] * 1e6, "othersPercent": watch.others_percent,
            "quarterP50Ms": quarter["p50Ms"], "quarterP99Ms": quarter["p99Ms"],
            "aloneP50Ms": alone["p50Ms"], "aloneP99Ms": alone["p99Ms"],
        }
        if contender.keeps:
            commits = sum(each["requests"] for each in loads)
            result |= {"transactions": written / load["seconds"], "writtenBytes": written_bytes / load["requests"],
                       "commitBytes": (bytes_of(folder) - kept) / commits}
        return result


def found(contender, count, seconds):
    """Hibernated sessions: the start of the server, and the cost of loading them."""
    with temporary_folder() as folder:
        with contender.start(folder) as server:
            paths = _create(contender, server, count)
        machine.forget_files()
        with contender.start(folder) as server:
            result = {"startMs": server.start_seconds * 1e3}
            time.sleep(SETTLE_SECONDS)
            result["startMB"] = machine.memory_kb(server.pids())["rss"] / 1024
            random.Random(1).shuffle(paths)
            states = [f"{path}/state" for path in paths]
            with Watch(server) as watch:
                one = wrk(server, 1, seconds, states[:count // 4])
                many = wrk(server, 16, seconds, states[count // 4:])
            time.sleep(2)  # so that surplus sessions hibernate
            result |= {
                "wakeP50Ms": one["p50Ms"], "wakeP99Ms": one["p99Ms"], "wakes": many["perSecond"],
                "manyP99Ms": many["p99Ms"], "cpuMicroseconds": watch.cpu / (one["requests"] + many["requests"]) * 1e6,
                "residentMB": machine.memory_kb(server.pids())["rss"] / 1024, "othersPercent": watch.others_percent,
            }
            result["resident"] = _number(server, "storehouse_sessions_resident")
            return result


def past(contender, seconds):
    """Earlier states of a session with a long history, at random revisions."""
    with temporary_folder() as folder:
        settings = {"STOREHOUSE_STORAGE_KEEP_COMMITS": str(2 * COMMITS)}
        with contender.start(folder, **settings) as server:
            path, = _create(contender, server, 1)
            batch = "[" + ",".join([ACTION] * 100) + "]"
            for _ in range(COMMITS // 100):
                server.read(f"{path}/actions", batch)
        with contender.start(folder, **settings) as server:
            numbers = random.Random(1)
            states = [f"{path}/state?revision={numbers.randrange(COMMITS)}" for _ in range(1000)]
            with Watch(server) as watch:
                load = wrk(server, 1, seconds, states)
            return {"p50Ms": load["p50Ms"], "p99Ms": load["p99Ms"],
                    "cpuMicroseconds": watch.cpu / load["requests"] * 1e6, "othersPercent": watch.others_percent}
