"""A file that servers are killed on, and what must be there afterwards."""

import collections
import copy
import pathlib
import re
import shutil
import signal
import subprocess
import time

from storage.counting import KEEP_COMMITS, Client, check
from storage.expecting import expect, refuse
from storage.server import Refused, Server

CLIENTS = 8
FILE = "kill.db"


class Trial:
    """A file, the sessions in it, and how clients have left them."""

    def __init__(self, program, directory, **settings):
        directory.mkdir()
        self.program, self.file = program, directory / FILE
        self.settings = {"storage_keep_commits": KEEP_COMMITS} | settings
        self.held = [{} for _ in range(CLIENTS)]
        self.posts = 0
        # What aimed kills have hit.
        self.hits = collections.Counter()

    def start(self, under=()):
        return Server(self.program, self.file, under, **self.settings)

    def start_aimed(self, call, suffixes, when):
        """Starts a server that is killed at that call on the file, or what stands beside it; None where that was at once."""
        paths = [option for suffix in suffixes for option in ("-P", str(self.file) + suffix)]
        # Without --seccomp-bpf, with which strace sends no signal.
        strace = ["strace", "-f", "-y", "-qq", "-s", "0", "-o", str(self.file) + ".trace", *paths, "-e", f"trace={call}",
                  "-e", "signal=none", "-e", f"inject={call}:signal=SIGKILL:when={when}"]
        try:
            return self.start(strace)
        except Refused as refusal:
            if refusal.status != -signal.SIGKILL:
                raise
            self.note_hit()
            return None

    def note_hit(self):
        """Reads the call that was hit off the end of what strace tells."""
        calls = re.findall(
            r"^\d+ +(\w+)\(.*?" + re.escape(str(self.file)) + r"(-\w+)?[\">](.*)$",
            pathlib.Path(str(self.file) + ".trace").read_text(errors="replace"), re.MULTILINE)
        expect(calls, "strace tells of no call that was hit")
        call, suffix, rest = calls[-1]
        # The log begins with 32 bytes of its own, each time that it begins anew.
        begins = call == "pwrite64" and suffix == "-wal" and re.search(r", 32, 0\b", rest)
        self.hits[f"{call} {suffix or 'file'}" + (" (begins anew)" if begins else "")] += 1

    def load(self, server, end):
        """Has clients count until `end` has ended the server, and returns when that was."""
        clients = [Client(server, sessions) for sessions in self.held]
        for client in clients:
            client.start()
        end(server)
        ended = time.monotonic()
        for client in clients:
            client.join()
            self.posts += client.posts
        refuse([line for client in clients for line in client.wrong])
        return ended

    def use(self, server):
        client = Client(server, self.held[0])
        client.count_once()
        self.posts += client.posts
        refuse(client.wrong)

    def check(self, server):
        wrong = []
        for sessions in self.held:
            check(server, sessions, wrong)
        refuse(wrong)

    def verify(self):
        found = subprocess.run(
            [self.program, "verify", "--storage", self.file], capture_output=True, text=True, check=False)
        expect(found.returncode == 0, "verify:", found.stderr)

    def begin_anew(self, used=None):
        """Forgets all, or goes on from a copy of what another trial has left."""
        for path in self.file.parent.iterdir():
            path.unlink()
        for path in used.file.parent.iterdir() if used else []:
            shutil.copy(path, self.file.parent)
        self.held = copy.deepcopy(used.held) if used else [{}]
