"""What an operator and clients do in script/restore-drill."""

import pathlib
import shutil
import signal
import subprocess

from storage.counting import ACTION
from storage.expecting import Wrong, eventually, expect
from storage.server import Refused, Server
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
        # The id of an event that a client has seen.
        self.seen = None

    # ---- What an operator does

    def storehouse(self, *words, status=0, quietly=False):
        """Types a command, which must end with that status if one is due, and returns what it prints, or says where it fails."""
        done = subprocess.run(
            [self.program, *words], cwd=self.directory, capture_output=True, text=True, errors="replace", check=False)
        told = (done.stdout if len(done.stdout) < 1000 else "") + done.stderr
        if not quietly:
            say(f"$ storehouse {' '.join(words)}")
            for line in told.splitlines():
                say(f"  {line}")
        expect(status is None or done.returncode == status, *words, f"ended with {done.returncode} and not {status}:", told)
        return done.stdout if done.returncode == 0 else told

    def start(self):
        self.server = Server(self.program, self.file)
        say(f"$ STOREHOUSE_STORAGE_PATH={FILE} storehouse serve &")

    def stop(self, number=signal.SIGTERM):
        say(f"$ kill -{signal.Signals(number).name.removeprefix('SIG')} $!")
        status = self.server.end(number)
        expect(status == (-number if number == signal.SIGKILL else 0), "the server ended with", status, *self.server.words)

    def refusal(self):
        """What a server says that must not start, and leaves the file as it is."""
        before = self.file.read_bytes()
        try:
            self.start()
        except Refused as refused:
            expect(refused.status == 1 and FILE in refused.words, refused)
            expect(self.file.read_bytes() == before, "the file was changed")
            return refused.words
        raise Wrong("it starts")

    def move(self, name, target):
        """Moves the file away, with all that stands beside it."""
        say(f"$ mkdir {target} && mv {name} {name}-* {target}/")
        place = self.directory / target
        place.mkdir()
        for path in [self.directory / name, *self.directory.glob(f"{name}-*")]:
            shutil.move(path, place)

    def copy(self, name, target):
        say(f"$ cp -p {name} {target}")
        shutil.copy2(self.directory / name, self.directory / target)

    # ---- What clients do and see

    def begin(self, count):
        """Begins sessions, on which clients post from now on."""
        for _ in range(count):
            status, document = self.server.call(self.server.connect(), "POST", "/sessions")
            expect(status == 201, document)
            self.posters.append(Poster(self.server, document["id"], revision=0))
            self.posters[-1].start()

    def post(self, count):
        """Waits until clients have posted so often."""
        before = self.revisions()
        eventually(lambda: all(now >= then + count for now, then in zip(self.revisions(), before)), "nothing is posted")

    def revisions(self):
        return [poster.revision for poster in self.posters]

    def kill(self):
        self.stop(signal.SIGKILL)
        for poster in self.posters:
            poster.join()
            expect(not poster.wrong, *poster.wrong)

    def state(self, session):
        """At which revision a session is; None where it is refused."""
        status, document = self.server.call(
            self.server.connect(), "GET", f"/sessions/{session}/state?select=/counter/count")
        if status != 200:
            expect((status, document["code"]) in ((500, "internal-error"), (404, "no-such-session")), status, document)
            return None
        expect(document["state"] == document["revision"], session, document)
        return document["revision"]

    def first_event(self):
        """The id of the event that a stream of the first session begins with."""
        return self.server.first_event(self.posters[0].session)[0]

    def states(self):
        return [self.state(poster.session) for poster in self.posters]

    def expect_states(self, least, most):
        found = self.states()
        fits = all(now is not None and low <= now <= high for low, now, high in zip(least, found, most))
        expect(fits, f"sessions are at {found}, from {least} to {most} was due")
        return found

    def go_on(self, session):
        before = self.state(session)
        status, document = self.server.call(self.server.connect(), "POST", f"/sessions/{session}/actions", ACTION)
        expect((status, document.get("revision")) == (200, before + 1), status, document)
