"""Remote calls: many sessions fetch at once from an upstream that responds after a second."""

import json
import re
import socket
import time
from datetime import datetime

from harness import machine, tools
from harness.contenders import ACTION
from harness.loads import Watch
from harness.processes import Child, Failure, output_of

FETCH = '{"type":"animal/fetchAnimal"}'
SOCKETS = 8
# The deadline for everything after the last request, in seconds.
SETTLE_SECONDS = 5


class Libcurl:
    """The same calls with libcurl only, in C."""

    name = "libcurl"

    def fetch(self, url, count, _concurrent):
        result = json.loads(output_of([tools.WORK / "calls", url, str(count)], 60))
        return {"settled": result["seconds"], "callMicroseconds": result["cpu"] / count * 1e6}


def measure(contender, count, concurrent=None):
    """`count` fetches at once, at most `concurrent` in progress; None for the default limit."""
    with Child([tools.WORK / "slow"], stdout=-1) as upstream:
        url = upstream.read_line(10).split()[-1] + "/"
        with Watch(load_pids=[upstream.pid]) as watch:
            result = contender.fetch(url, count, concurrent) if isinstance(contender, Libcurl) else _fetch(
                contender, url, count, concurrent)
    return result | {"othersPercent": max(0, watch.others_percent - result.pop("serverPercent", 0))}


def _fetch(contender, url, count, concurrent):
    environment = {"STOREHOUSE_UPSTREAMS_ANIMAL_URL": url, "STOREHOUSE_UPSTREAMS_ANIMAL_TIMEOUT": "30"}
    if concurrent:
        environment["STOREHOUSE_UPSTREAMS_ANIMAL_MAX_CONCURRENT"] = str(concurrent)
    began = time.monotonic()
    with contender.start(environment) as server:
        paths = [actions for _, actions in contender.create_sessions(server, count)]
        post(server, paths, ACTION)
        pids = server.pids()
        before = machine.precise_cpu_seconds(pids)
        post(server, paths, ACTION)
        posted = machine.precise_cpu_seconds(pids)
        resident = machine.memory_kb(pids)["rss"]
        post(server, paths, FETCH)
        most = resident
        end = time.monotonic() + SETTLE_SECONDS
        while time.monotonic() < end:
            most = max(most, machine.memory_kb(pids)["rss"])
            time.sleep(0.05)
        cpu = machine.precise_cpu_seconds(pids)
        times = [_times(server, path) for path in paths]
        total = machine.precise_cpu_seconds(pids)
    first, last = min(time for time, _ in times), max(time for _, time in times)
    return {
        "settled": (last - first).total_seconds(),
        # Subtract the cost of a request that fetches nothing.
        "callMicroseconds": (cpu - posted - (posted - before)) / count * 1e6,
        "wholeMicroseconds": (cpu - posted) / count * 1e6,
        "residentMB": (most - resident) / 1024,
        "serverPercent": total / (time.monotonic() - began) / machine.cores() * 100,
    }


def post(server, paths, body):
    """Posts an action to every session, as fast as the connections allow."""
    connections = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(SOCKETS)]
    try:
        for start in range(0, len(paths), SOCKETS * 16):
            shares = [paths[start + place:start + SOCKETS * 16:SOCKETS] for place in range(SOCKETS)]
            for connection, share in zip(connections, shares):
                connection.sendall("".join(
                    f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nPrefer: return=minimal\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
                    for path in share).encode())
            for connection, share in zip(connections, shares):
                answers = b""
                while answers.count(b"\r\n\r\n") < len(share):
                    piece = connection.recv(65536)
                    if not piece:
                        raise Failure("the server closed a connection")
                    answers += piece
                if answers.count(b"HTTP/1.1 204") != len(share):
                    raise Failure(f"an action was not taken: {answers[:200]}")
    finally:
        for connection in connections:
            connection.close()


def _times(server, path):
    """The times when a session started to fetch and when it had its animal."""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    log = json.loads(answer.partition(b"\r\n\r\n")[2])["actions"]
    moments = {each["type"]: datetime.fromisoformat(re.sub("Z$", "+00:00", each["at"])) for each in log}
    if "animal/setCurrentAnimal" not in moments:
        raise Failure(f"a session has no animal: {log[-1]['type']}")
    return moments["animal/fetchAnimal"], moments["animal/setCurrentAnimal"]
