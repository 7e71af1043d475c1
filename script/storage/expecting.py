"""What must hold, and what is told where it does not."""

import time

from storage.server import SECONDS


class Wrong(Exception):
    """What is not as it should be."""


def expect(holds, *what):
    if not holds:
        raise Wrong(" ".join(map(str, what)))


def refuse(wrong):
    """Each line of what is wrong is one too many; of many the first tell enough."""
    if wrong:
        raise Wrong("\n".join(wrong[:20]))


def eventually(holds, what):
    """Waits until `holds` does, and returns how many seconds that took."""
    begin = time.monotonic()
    while not holds():
        expect(time.monotonic() - begin < SECONDS, what)
        time.sleep(0.02)
    return time.monotonic() - begin
