"""Whether all processes of a run wait for something. Only then virtual time may pass, so that no run depends on the machine's speed."""
import asyncio
import os

PAUSE = 0.001  # real seconds between two looks at a process that is at work
IS_KNOWN = os.path.exists("/proc/self/task")
GUESS = 0.03  # real seconds without news that have to do where no system tells


def _sleep(pid):
    """How often the threads of a process have gone to sleep; nothing if one of them is at work."""
    count = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status", "rb") as file:
            text = file.read()
        if text[text.index(b"\nState:\t") + 8] in b"RD":
            return None
        count += sum(int(line.split()[1]) for line in text.splitlines()[-2:])
    return count


def _sleeps(pids):
    """The same for all processes. One that has ended is at rest."""
    counts = []
    for pid in pids:
        try:
            counts.append(_sleep(pid))
        except OSError:
            counts.append(-1)
        if counts[-1] is None:
            return None
    return counts


async def _read():
    """Lets the runner read what has come."""
    for _ in range(12):
        await asyncio.sleep(0)


async def is_quiet(pids, heard):
    """Looks twice: between the looks no thread of the processes may have run, and the runner may have heard of nothing."""
    if not IS_KNOWN:
        before = heard()
        await asyncio.sleep(GUESS)
        return before == heard()
    await _read()
    before = heard(), _sleeps(pids)
    if before[1] is not None:
        await _read()
        if before == (heard(), _sleeps(pids)):
            return True
    await asyncio.sleep(PAUSE)
    return False
