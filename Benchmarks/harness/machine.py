"""Data from /proc: CPU time and memory of processes, and the load of the machine."""

import os
import time
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


class Vanished(Exception):
    """A process ended during a measurement."""


def _read(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_text()
    except (FileNotFoundError, ProcessLookupError) as error:
        raise Vanished(f"process {pid} ended while it was measured") from error


def cpu_seconds(pids):
    """User and system time of all threads of these processes, in seconds, in steps of a tick (10 ms)."""
    total = 0
    for pid in pids:
        fields = _read(pid, "stat").rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def precise_cpu_seconds(pids):
    """The same in nanoseconds, for short measurements."""
    try:
        # The clock that clock_getcpuclockid(3) returns for a process.
        return sum(time.clock_gettime(~pid << 3 | 2) for pid in pids)
    except OSError as error:
        raise Vanished("a process ended while it was measured") from error


def kernel_kb():
    """Memory of kernel objects, such as sockets and epoll entries, in KB."""
    return _kb(Path("/proc/meminfo").read_text(), "Slab:")


def written_bytes(pids):
    """The bytes that these processes have given to the page cache to be written to a disk."""
    return sum(int(line.split()[1]) for pid in pids for line in _read(pid, "io").splitlines() if line.startswith("write_bytes"))


def memory_kb(pids):
    """Resident memory in KB: `rss` as VmRSS, and `pss`, where pages shared by processes count once."""
    rss = pss = 0
    for pid in pids:
        rss += _kb(_read(pid, "status"), "VmRSS:")
        pss += _kb(_read(pid, "smaps_rollup"), "Pss:")
    return {"rss": rss, "pss": pss}


def _kb(text, name):
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith(name)), 0)


def forget_files():
    """Drops the page cache; returns whether that is permitted."""
    os.sync()
    try:
        Path("/proc/sys/vm/drop_caches").write_text("1")
    except OSError:
        return False
    return True


def busy_seconds():
    """CPU time of the whole machine, including stolen time, in seconds."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[:8])
    return (user + nice + system + irq + softirq + steal) / TICKS


def cores():
    return len(os.sched_getaffinity(0))


def describe():
    """The machine in one line."""
    model = next(
        (line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
         if line.startswith("model name")),
        "unknown processor",
    )
    return f"{cores()} cores of {model}, Linux {os.uname().release}"
