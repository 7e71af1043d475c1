"""Whether all processes of a run wait for something. Only then virtual time may pass, so that no run depends on the machine's speed."""
import asyncio
import os
import time

PAUSE = 0.001  # real seconds between two looks at a process that is at work
IS_KNOWN = os.path.exists("/proc/self/task")
GUESS = 0.03  # real seconds without news that have to do where no system tells


def _sleeps(pid):
    """Whether all threads of a process wait for something. One that waits for a processor, or that is stopped, does not."""
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/stat", "rb", buffering=0) as file:
                text = file.read()
            if text[text.rindex(b")") + 2] in b"RDTt":
                return False
    except OSError:
        pass  # it has ended
    return True


def _worked(pid):
    """The processor time of a process so far. Its clock has a number, as clock_getcpuclockid(3) makes it."""
    try:
        return time.clock_gettime_ns(~pid << 3 | 2)
    except OSError:
        return None


async def _read():
    """Lets the runner read what has come."""
    for _ in range(12):
        await asyncio.sleep(0)


async def is_quiet(pids, heard):
    """All threads sleep, none has run while that was found out, and the runner has heard of nothing."""
    if not IS_KNOWN:
        before = heard()
        await asyncio.sleep(GUESS)
        return before == heard()
    await _read()
    before = heard(), [_worked(pid) for pid in pids]
    if all(_sleeps(pid) for pid in pids):
        await _read()
        if before == (heard(), [_worked(pid) for pid in pids]):
            return True
    await asyncio.sleep(PAUSE)
    return False
