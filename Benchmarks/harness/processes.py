"""Child processes that never outlive the benchmark."""

import ctypes
import os
import resource
import select
import signal
import subprocess
import time

STOP_SECONDS = 5
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None)
_running = set()


class Failure(Exception):
    """A failure, with a message for people."""


def raise_file_limit():
    """Raises the descriptor limit to the hard limit, which children inherit: each stream needs a descriptor."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def _end_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Child:
    """One process in a group of its own; stopped at the end of its `with` block."""

    def __init__(self, command, **options):
        self.name = os.path.basename(str(command[0]))
        try:
            self.process = subprocess.Popen(
                [str(part) for part in command], start_new_session=True, preexec_fn=_end_with_parent, **options)
        except OSError as error:
            raise Failure(f"cannot start {command[0]}: {error.strerror}") from error
        _running.add(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def pid(self):
        return self.process.pid

    def signal_group(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def stop(self):
        """Sends SIGTERM, waits, then sends SIGKILL to the whole process group."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                pass
        if self in _running:
            self.signal_group(signal.SIGKILL)
            self.process.wait()
            _running.discard(self)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass

    def read_line(self, seconds):
        """One line of its standard output, within a time limit."""
        deadline = time.monotonic() + seconds
        output, line = self.process.stdout, b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([output], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise Failure(f"{self.name} said nothing for {seconds} s")
            part = os.read(output.fileno(), 65536)
            if not part:
                raise Failure(f"{self.name} ended without an answer")
            line += part
        return line.decode()


def stop_all():
    for child in list(_running):
        child.stop()


def output_of(command, seconds, **options):
    """The standard output of a command that must succeed within a time limit."""
    with Child(command, stdout=subprocess.PIPE, **options) as child:
        try:
            output, _ = child.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"{child.name} took more than {seconds} s") from error
        if child.process.returncode != 0:
            raise Failure(f"{child.name} ended with status {child.process.returncode}")
        return output.decode()
