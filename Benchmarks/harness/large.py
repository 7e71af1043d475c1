"""Actions on a session with a large state: each changes one number, whatever else there is."""

import json
import time

from harness import machine
from harness.loads import SETTLE_SECONDS, Streams

# The streams that watch the session, by the key of their numbers.
WATCHERS = (
    ("none", None, 0), ("patch", "?changes=patch", 1), ("selection", "?select=/counter", 1), ("state", "", 1),
    ("states", "", 8),
)
BATCH = 100
SENT_BYTES = 200 << 20

ROWS = (("stateKB", "state, KB", 0),) + tuple(
    (f"{key}Microseconds", f"{label}: server CPU a commit, µs", 1)
    for key, label in (
        ("none", "no stream"), ("patch", "a patch stream"), ("selection", "a stream of ?select=/counter"),
        ("state", "a state stream"), ("states", "8 state streams"), ("answer", "the whole state as the answer"))
)


def fill(server, path, tasks):
    """Adds tasks; returns the length of the state in bytes."""
    for start in range(0, tasks, BATCH):
        count = min(BATCH, tasks - start)
        batch = [{"type": "tasks/add", "payload": {"title": f"Task number {start + index}, with a title"}}
                 for index in range(count)]
        server.read(f"{path}?select=/counter", json.dumps(batch))
    return len(server.read(path.replace("/actions", "/state")))


def measure(contender, tasks, commits):
    """The server's CPU per commit of `counter/increment` on a session with that many tasks."""
    result = {}
    for key, query, streams in (*WATCHERS, ("answer", None, 0)):
        with contender.start({"STOREHOUSE_SESSIONS_MAX_STATE_BYTES": str(64 << 20)}) as server:
            [(events, actions)] = contender.create_sessions(server, 1)
            size = fill(server, actions, tasks)
            result["stateKB"] = size / 1024
            # Where the whole state is sent, fewer commits are enough.
            sends = key in ("state", "states", "answer")
            count = max(10, min(commits, SENT_BYTES // (size * max(1, streams)))) if sends else commits
            post = actions if key == "answer" else f"{actions}?select=/counter"
            paths = [(events + (query or ""), post)]
            if query is None:
                result[f"{key}Microseconds"] = alone(server, post, count)
            else:
                with Streams(contender, server, paths, streams, count) as load:
                    time.sleep(SETTLE_SECONDS)
                    before = machine.precise_cpu_seconds(server.pids())
                    load.go()
                    used = machine.precise_cpu_seconds(server.pids()) - before
                    result[f"{key}Microseconds"] = used / count * 1e6
    return result


def alone(server, path, count):
    """Posts one action after the other over one connection."""
    body = '{"type":"counter/increment"}'
    connection = server.connection()
    try:
        before = machine.precise_cpu_seconds(server.pids())
        for _ in range(count):
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            connection.getresponse().read()
        return (machine.precise_cpu_seconds(server.pids()) - before) / count * 1e6
    finally:
        connection.close()
