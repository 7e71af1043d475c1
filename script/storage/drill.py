"""The actions of the operator and the clients in script/restore-drill."""

import pathlib
import shutil
import signal
import subprocess

from storage.counting import ACTION
from storage.checks import CheckFailed, eventually, expect
from storage.server import StartFailed, Server
from storage.watching import Poster

FILE = "storehouse.db"


def step(text):
    print(f"==> {text}", flush=True)


def say(text):
    print(f"    {text}", flush=True)


class Drill:
    def __init__(self, program, directory):
        self.program, self.directory, self.file = program, directory, directory / FILE
        self.server, self.posters = None, []
        # The id of the last event that a client has received.
        self.seen = None

    # ---- The operator

    def storehouse(self, *words, status=0, quietly=False):
        """Runs a command, checks its exit status unless `status` is None, and returns its output."""
        done = subprocess.run(
            [self.program, *words], cwd=self.directory, capture_output=True, text=True, errors="replace", check=False)
        output = (done.stdout if len(done.stdout) < 1000 else "") + done.stderr
        if not quietly:
            say(f"$ storehouse {' '.join(words)}")
            for line in output.splitlines():
                say(f"  {line}")
        expect(status is None or done.returncode == status, *words, f"exited with {done.returncode} instead of {status}:", output)
        return done.stdout if done.returncode == 0 else output

    def start(self):
        self.server = Server(self.program, self.file)
        say(f"$ STOREHOUSE_STORAGE_PATH={FILE} storehouse serve &")

    def stop(self, number=signal.SIGTERM):
        say(f"$ kill -{signal.Signals(number).name.removeprefix('SIG')} $!")
        status = self.server.end(number)
        expect(status == (-number if number == signal.SIGKILL else 0), "the server ended with", status, *self.server.words)

    def refusal(self):
        """The error of a server that must not start, and must not change the file."""
        before = self.file.read_bytes()
        try:
            self.start()
        except StartFailed as refused:
            expect(refused.status == 1 and FILE in refused.words, refused)
            expect(self.file.read_bytes() == before, "the file was changed")
            return refused.words
        raise CheckFailed("the server starts")

    def move(self, name, target):
        """Moves the file away, with the files beside it."""
        say(f"$ mkdir {target} && mv {name} {name}-* {target}/")
        place = self.directory / target
        place.mkdir()
        for path in [self.directory / name, *self.directory.glob(f"{name}-*")]:
            shutil.move(path, place)

    def copy(self, name, target):
        say(f"$ cp -p {name} {target}")
        shutil.copy2(self.directory / name, self.directory / target)

    # ---- The clients

    def begin(self, count):
        """Creates sessions, and starts a client that posts to each."""
        for _ in range(count):
            status, document = self.server.call(self.server.connect(), "POST", "/sessions")
            expect(status == 201, document)
            self.posters.append(Poster(self.server, document["id"], revision=0))
            self.posters[-1].start()

    def post(self, count):
        """Waits until each client has posted `count` times."""
        before = self.revisions()
        eventually(lambda: all(now >= then + count for now, then in zip(self.revisions(), before)), "clients cannot post")

    def revisions(self):
        return [poster.revision for poster in self.posters]

    def kill(self):
        self.stop(signal.SIGKILL)
        for poster in self.posters:
            poster.join()
            expect(not poster.wrong, *poster.wrong)

    def state(self, session):
        """The revision of a session; None if the server cannot load it."""
        status, document = self.server.call(
            self.server.connect(), "GET", f"/sessions/{session}/state?select=/counter/count")
        if status != 200:
            expect((status, document["code"]) in ((500, "internal-error"), (404, "no-such-session")), status, document)
            return None
        expect(document["state"] == document["revision"], session, document)
        return document["revision"]

    def first_event(self):
        """The id of the first event of a stream of the first session."""
        return self.server.first_event(self.posters[0].session)[0]

    def states(self):
        return [self.state(poster.session) for poster in self.posters]

    def expect_revisions(self, lowest, highest):
        found = self.states()
        fits = all(now is not None and low <= now <= high for low, now, high in zip(lowest, found, highest))
        expect(fits, f"sessions are at {found}, expected from {lowest} to {highest}")
        return found

    def continue_session(self, session):
        before = self.state(session)
        status, document = self.server.call(self.server.connect(), "POST", f"/sessions/{session}/actions", ACTION)
        expect((status, document.get("revision")) == (200, before + 1), status, document)
