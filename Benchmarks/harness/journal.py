"""The growth of the journal: the bytes that a session and its commits take, by storage."""

import re
import secrets
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path

from harness import durable, machine
from harness.contenders import ACTION
from harness.fetching import post
from harness.loads import SETTLE_SECONDS
from harness.processes import Child, Failure, output_of

KEPT = 100  # commits of a session at least; of twice as many the earlier ones are deleted
ACTIVE = 500  # sessions that get commits
ROWS = (
    ("sessionBytes", "a new session, bytes", 0),
    ("commitBytes", f"each of the first {2 * KEPT} commits of a session, bytes", 0),
    ("laterBytes", "each of as many more, bytes", 0),
    ("sessionFileBytes", "the append-only file of Redis: a new session, bytes", 0),
    ("commitFileBytes", "the same: a commit, bytes", 0),
)


def measure(contender, count):
    """`count` new sessions; then commits of some of them until the first are deleted, and as many again."""
    with durable.temporary_folder() as folder, (_redis() if contender.kind == "redis" else nullcontext()) as redis:
        storage = {"memory": _Process, "sqlite": _File, "redis": _Redis}[contender.kind](contender, folder, redis)
        try:
            empty = storage.size()
            sessions = [path for _, path in contender.create_sessions(storage.server, count)]
            created, active = storage.size(), sessions[::max(1, count // ACTIVE)][:ACTIVE]
            # The first action makes a session's lazy parts, and loads the session if the server has started again.
            sizes = [created, *(storage.after(active, commits) for commits in (1, 2 * KEPT, 2 * KEPT))]
        finally:
            storage.server.child.stop()
    commits = 2 * KEPT * len(active)
    result = {
        "sessionBytes": (created[0] - empty[0]) / count,
        "commitBytes": (sizes[2][0] - sizes[1][0]) / commits,
        "laterBytes": (sizes[3][0] - sizes[2][0]) / commits,
    }
    if contender.kind == "redis":
        result |= {"sessionFileBytes": (created[1] - empty[1]) / count,
                   "commitFileBytes": (sizes[3][1] - sizes[1][1]) / (2 * commits)}
    return result


class _Storage:
    """A server whose storage is measured: `size()` is a tuple of bytes."""

    def __init__(self, contender, folder, redis):
        self.contender, self.folder, self.redis = contender, folder, redis
        self.settings = {"STOREHOUSE_STORAGE_KEEP_COMMITS": str(KEPT)}
        if redis:
            self.settings |= {
                "STOREHOUSE_STORAGE_REDIS_URL": f"unix://{redis / 'redis.sock'}",
                "STOREHOUSE_STORAGE_KEY": secrets.token_hex(32), "STOREHOUSE_CLUSTER_SECRET": secrets.token_hex(32),
                # No other node calls it.
                "STOREHOUSE_CLUSTER_ADDRESS": "127.0.0.1:1",
            }
        self.server = self._start()

    def _start(self):
        return self.contender.start(self.folder, **self.settings)

    def after(self, sessions, commits):
        """The size when each session has so many more commits."""
        for _ in range(commits):
            post(self.server, sessions, ACTION)
        return self.size()


class _Process(_Storage):
    def size(self):
        time.sleep(SETTLE_SECONDS)
        return (machine.memory_kb(self.server.pids())["pss"] * 1024,)


class _File(_Storage):
    """The closed file: the server starts again for each measurement."""

    def size(self):
        self.server.child.stop()
        size = durable.bytes_of(self.folder)
        self.server = self._start()
        return (size,)


class _Redis(_Storage):
    """The memory of Redis and the size of its file."""

    def size(self):
        time.sleep(SETTLE_SECONDS)
        memory = int(re.search(r"^used_memory:(\d+)", _ask(self.redis, "INFO", "memory"), re.MULTILINE)[1])
        return memory, durable.bytes_of(self.redis / "appendonlydir")


@contextmanager
def _redis():
    """A Redis of its own; the directory of its file and its socket."""
    # The path of a socket is short.
    folder = Path(tempfile.mkdtemp(prefix="redis-"))
    try:
        with Child(["redis-server", "--port", "0", "--unixsocket", folder / "redis.sock", "--dir", folder, "--save", "",
                    "--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"],
                   stdout=subprocess.DEVNULL):
            _wait_for(folder)
            yield folder
    finally:
        shutil.rmtree(folder)


def _wait_for(folder):
    deadline = time.monotonic() + 10
    while True:
        try:
            if "PONG" in _ask(folder, "PING"):
                return
        except Failure:
            pass
        if time.monotonic() > deadline:
            raise Failure("redis-server does not answer")
        time.sleep(0.01)


def _ask(folder, *words):
    return output_of(["redis-cli", "-s", folder / "redis.sock", *words], 10, stderr=subprocess.DEVNULL)
