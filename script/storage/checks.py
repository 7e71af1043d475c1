"""Checks, which raise CheckFailed with a message."""

import time

from storage.server import SECONDS


class CheckFailed(Exception):
    """A check that failed."""


def expect(holds, *what):
    if not holds:
        raise CheckFailed(" ".join(map(str, what)))


def fail_if_any(wrong):
    """Fails with the first 20 problems, if there are any."""
    if wrong:
        raise CheckFailed("\n".join(wrong[:20]))


def eventually(holds, what):
    """Waits until `holds` returns true; returns the time it took in seconds."""
    begin = time.monotonic()
    while not holds():
        expect(time.monotonic() - begin < SECONDS, what)
        time.sleep(0.02)
    return time.monotonic() - begin
