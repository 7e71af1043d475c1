"""Growth of memory and CPU with the number of subscribers: measured, plotted, and extrapolated to a million."""

import time
from contextlib import ExitStack
from statistics import median

from harness import drawing, machine, tools
from harness.loads import SETTLE_SECONDS, Streams, Watch

MILLION = 1_000_000
HEARTBEAT = 15  # seconds, the server's default


def measure(contender, sizes, heartbeat, seconds):
    """A server with a growing number of subscribers, each with its own session, and only heartbeats."""
    with contender.start(heartbeat=heartbeat) as server, ExitStack() as stack:
        time.sleep(SETTLE_SECONDS)
        start = _process_kb(server)
        paths = contender.create_sessions(server, sizes[-1])
        time.sleep(SETTLE_SECONDS)
        idle, kernel, streams, points = _process_kb(server), machine.kernel_kb(), [], []
        for begin, end in zip((0, *sizes), sizes):
            streams.append(stack.enter_context(Streams(contender, server, paths[begin:end], 1)))
            # Wait until all streams are idle before the heartbeats are measured.
            time.sleep(SETTLE_SECONDS)
            points.append({
                "subscribers": end,
                "processKB": _process_kb(server) - idle,
                # Both ends of each connection are on this machine and cost about the same.
                "kernelKB": (machine.kernel_kb() - kernel) / 2,
                **_heartbeats(server, streams, seconds),
            })
    last = points[-1]
    return {
        "points": points, "startKB": start, "sessionKB": (idle - start) / sizes[-1],
        "subscriberKB": last["processKB"] / sizes[-1], "kernelKB": last["kernelKB"] / sizes[-1],
        "heartbeatMicroseconds": last["heartbeatMicroseconds"], "othersPercent": last["othersPercent"],
    }


def _process_kb(server):
    return machine.memory_kb(server.pids())["pss"]


def _heartbeats(server, streams, seconds):
    for each in streams:
        each.go()
    with Watch(server, [each.child.pid for each in streams]) as watch:
        before = machine.precise_cpu_seconds(server.pids())
        time.sleep(seconds)
        cpu = machine.precise_cpu_seconds(server.pids()) - before
    count = sum(each.go()["comments"] for each in streams)
    return {
        "heartbeats": count, "cpuPercent": cpu / seconds * 100,
        "heartbeatMicroseconds": cpu / max(count, 1) * 1e6, "othersPercent": watch.others_percent,
    }


def _curve(rounds, value):
    """Medians of the rounds as pairs of subscribers and cost."""
    return [(points[0]["subscribers"], median(value(each, point) for each, point in zip(rounds, points)))
            for points in zip(*(each["points"] for each in rounds))]


def draw(results):
    """Writes the plot; returns its path."""
    memory, kernel, cpu = {}, {}, {}
    for name, rounds in results.items():
        memory[name] = _curve(rounds, lambda each, point: (each["startKB"] + point["processKB"]) / 1024)
        kernel[f"{name}, kernel"] = _curve(rounds, lambda _, point: point["kernelKB"] / 1024)
        cpu[name] = _curve(rounds, lambda _, point: point["cpuPercent"])
    path = tools.WORK / "growth.svg"
    path.write_text(drawing.svg([
        drawing.Panel("memory beside the sessions, MB", memory, kernel),
        drawing.Panel("CPU of heartbeats every 2 s, % of a core", cpu),
    ], "subscribers"))
    return path


def words(results):
    """Extrapolates to a million subscribers from the growth between a thousand and the last number."""
    lines = []
    for name, rounds in results.items():
        process = _slope(_curve(rounds, lambda _, point: point["processKB"]))
        kernel = _slope(_curve(rounds, lambda _, point: point["kernelKB"]))
        session = median(each["sessionKB"] for each in rounds)
        beat = median(each["heartbeatMicroseconds"] for each in rounds)
        lines.append(
            f"A million subscribers of as many sessions, {name}: {_gb(process)} for streams, {_gb(session)} for"
            f" sessions and {_gb(kernel)} in the kernel, {_gb(process + session + kernel)} in all; heartbeats every"
            f" {HEARTBEAT} s, {MILLION / HEARTBEAT:,.0f} a second, would take {MILLION / HEARTBEAT * beat / 1e4:.0f}%"
            " of a core.")
    return "\n".join(lines)


def _gb(kilobytes_each):
    return f"{kilobytes_each * MILLION / 1024 / 1024:.1f} GB"


def _slope(curve):
    """KB per subscriber, without constant costs."""
    (few, low), (many, high) = next((point for point in curve if point[0] >= 1000), curve[0]), curve[-1]
    if few == many:
        few, low = curve[0]
    return (high - low) / (many - few)
