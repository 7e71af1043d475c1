"""The load programs of load/, and the CPU use of all processes meanwhile."""

import json
import os
import subprocess
import tempfile
import time

from harness import machine, tools
from harness.processes import Child, Failure, output_of

SETTLE_SECONDS = 0.3
LOAD_SECONDS = 120


class Watch:
    """CPU time of a server, of its load and of everyone else, from `with` to the end of the block.

    Without a server, the load is all that runs.
    """

    def __init__(self, server=None, load_pids=()):
        proxy = server.proxy if server else None
        self.server_pids = server.pids() if server else []
        self.load_pids = [*load_pids, *([proxy.pid] if proxy else [])]

    def _now(self):
        children = os.times()
        load = machine.cpu_seconds(self.load_pids) + children.children_user + children.children_system
        return time.monotonic(), machine.cpu_seconds(self.server_pids), load, machine.busy_seconds()

    def __enter__(self):
        self.begin = self._now()
        return self

    def __exit__(self, kind, *_):
        if kind:
            return
        wall, self.cpu, load, busy = (end - begin for begin, end in zip(self.begin, self._now()))
        others = busy - self.cpu - load
        self.others_percent = max(0, others / (wall * machine.cores()) * 100)


class Load:
    """A load program; `with` returns when all its connections are open."""

    def __init__(self, contender, *command):
        self.name = contender.name
        self.child = Child(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        self._answer()
        return self

    def __exit__(self, *_):
        self.child.stop()

    def _answer(self):
        answer = json.loads(self.child.read_line(LOAD_SECONDS))
        if "failure" in answer:
            raise Failure(f"{self.name}: {answer['failure']}")
        return answer

    def go(self):
        """Starts or ends its work; returns its output."""
        self.child.process.stdin.write(b"go\n")
        self.child.process.stdin.flush()
        return self._answer()


class Multiplexed(Load):
    """A hundred event streams on each connection of HTTP/2; each `go` sends an action, and awaits its event on all."""

    def __init__(self, contender, server, paths, connections):
        super().__init__(contender, tools.WORK / "multiplexed", server.port, *paths, connections, contender.publication)


class SessionLoad(Load):
    """A load on the sessions at these paths."""

    def __init__(self, contender, program, server, paths, *arguments):
        self.file = tempfile.NamedTemporaryFile("w", dir=tools.WORK)
        self.file.writelines(f"{events} {publish}\n" for events, publish in paths)
        self.file.flush()
        super().__init__(contender, tools.WORK / program, server.port, self.file.name, *arguments)

    def __exit__(self, *_):
        super().__exit__()
        self.file.close()


class Streams(SessionLoad):
    """Event streams and publishers."""

    def __init__(self, contender, server, paths, subscribers, publications=0, rate=0, publishers=1):
        super().__init__(contender, "fanout", server, paths, subscribers, publications, rate, publishers,
                         int(contender.first_event), contender.publication)


def wrk(server, connections, seconds, paths=None, body=None, headers=None):
    """Sends POST or GET requests to the paths in turn, or to /healthz, as fast as the connections allow.

    The headers are environment variables of the load programs.
    """
    with tempfile.NamedTemporaryFile("w", dir=tools.WORK) as file:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BENCH_")}
        if paths:
            file.writelines(f"{path}\n" for path in paths)
            file.flush()
            environment |= {"BENCH_SESSIONS": file.name} | ({"BENCH_BODY": body} if body else {}) | (headers or {})
        output = output_of(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", tools.FOLDER / "load" / "wrk.lua",
                            f"http://127.0.0.1:{server.port}/healthz"], seconds + 20, env=environment)
    result = json.loads(output.strip().rpartition("\n")[2])
    errors = {key: result[key] for key in ("badStatus", "socketErrors", "timeouts") if result[key]}
    if errors or not result["requests"]:
        raise Failure(f"{result['requests']} requests with errors {errors}")
    return result | {"perSecond": result["requests"] / result["seconds"]}


def paced(server, connections, rate, seconds, paths, body):
    """Posts an action to the paths in turn at a steady rate. An answer is late from the moment when its action was due."""
    with tempfile.NamedTemporaryFile("w", dir=tools.WORK) as file:
        file.writelines(f"{path}\n" for path in paths)
        file.flush()
        output = output_of(
            [tools.WORK / "paced", server.port, file.name, connections, f"{rate:.0f}", seconds, body], seconds + 30)
    result = json.loads(output)
    if "failure" in result:
        raise Failure(result["failure"])
    return result


def crowd(contender, server, count, seconds_apart=0):
    """Connections that stay idle, or send one byte per interval."""
    return Load(contender, tools.WORK / "crowd", server.port, count, seconds_apart)
