"""A database whose servers are killed, and the commits that it must contain."""

import collections
import contextlib
import copy
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import time

from storage.commits import commits
from storage.counting import KEEP_COMMITS, Client, check
from storage.checks import expect, fail_if_any
from storage.server import StartFailed, Server

CLIENTS = 8
FILE = "kill.db"


class Trial:
    """A database, and its sessions as the clients know them."""

    def __init__(self, program, directory, **settings):
        directory.mkdir()
        self.program, self.file = program, directory / FILE
        self.settings = {"storage_keep_commits": KEEP_COMMITS} | settings
        self.views = [{} for _ in range(CLIENTS)]
        self.posts = 0
        # The system calls at which servers were killed.
        self.hits = collections.Counter()
        # How far the commits were sorted when servers were killed.
        self.sortings = collections.Counter()

    def start(self, under=()):
        return Server(self.program, self.file, under, **self.settings)

    def start_aimed(self, call, suffixes, when):
        """Starts a server that is killed at the given system call on these files; None if it is killed before it listens."""
        paths = [option for suffix in suffixes for option in ("-P", str(self.file) + suffix)]
        # Without --seccomp-bpf, because strace does not inject signals with it.
        strace = ["strace", "-f", "-y", "-qq", "-s", "0", "-o", str(self.file) + ".trace", *paths, "-e", f"trace={call}",
                  "-e", "signal=none", "-e", f"inject={call}:signal=SIGKILL:when={when}"]
        try:
            return self.start(strace)
        except StartFailed as refusal:
            if refusal.status != -signal.SIGKILL:
                raise
            self.record_hit()
            return None

    def record_hit(self):
        """Records the last system call in the output of strace."""
        calls = re.findall(
            r"^\d+ +(\w+)\(.*?" + re.escape(str(self.file)) + r"(-\w+)?[\">](.*)$",
            pathlib.Path(str(self.file) + ".trace").read_text(errors="replace"), re.MULTILINE)
        expect(calls, "the output of strace contains no call")
        call, suffix, rest = calls[-1]
        # The WAL starts with a header of 32 bytes, which is written when it restarts.
        begins = call == "pwrite64" and suffix == "-wal" and re.search(r", 32, 0\b", rest)
        self.hits[f"{call} {suffix or 'file'}" + (" (WAL restart)" if begins else "")] += 1

    def record_sorting(self):
        """Records how far a killed server had sorted its commits."""
        copy_of_file = self.file.with_suffix(".copy")
        for suffix in ("", "-wal"):
            source = pathlib.Path(str(self.file) + suffix)
            if source.exists():
                shutil.copy(source, str(copy_of_file) + suffix)
        with contextlib.closing(sqlite3.connect(copy_of_file)) as database:
            newest = dict(database.execute("SELECT number, newest FROM sessions"))
            rows = [row for row, in database.execute("SELECT commits FROM unsorted")]
        for suffix in ("", "-wal", "-shm"):
            pathlib.Path(str(copy_of_file) + suffix).unlink(missing_ok=True)
        firsts = [next(commits(row))[:2] for row in rows]
        are_sorted = [newest.get(session, 0) >= revision for session, revision in firsts]
        self.sortings["commits that were being sorted" if True in are_sorted else
                      "commits that were not sorted yet" if rows else "all commits sorted"] += 1

    @property
    def session_count(self):
        return sum(map(len, self.views))

    def clients(self, server):
        return [Client(server, sessions) for sessions in self.views]

    def load(self, server, end):
        """Runs clients until `end` has ended the server; returns that time."""
        clients = self.clients(server)
        for client in clients:
            client.start()
        end(server)
        ended = time.monotonic()
        for client in clients:
            client.join()
            self.posts += client.posts
        fail_if_any([line for client in clients for line in client.wrong])
        return ended

    def use(self, server):
        client = Client(server, self.views[0])
        client.count_once()
        self.posts += client.posts
        fail_if_any(client.wrong)

    def check(self, server):
        wrong = []
        for sessions in self.views:
            check(server, sessions, wrong)
        fail_if_any(wrong)

    def verify(self):
        found = subprocess.run(
            [self.program, "verify", "--storage", self.file], capture_output=True, text=True, check=False)
        expect(found.returncode == 0, "verify:", found.stderr)

    def reset(self, used=None):
        """Deletes everything, or continues with a copy of another trial's files."""
        for path in self.file.parent.iterdir():
            path.unlink()
        for path in used.file.parent.iterdir() if used else []:
            shutil.copy(path, self.file.parent)
        self.views = copy.deepcopy(used.views) if used else [{}]
