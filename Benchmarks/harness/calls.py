"""System calls and allocations of one connection's requests, counted by strace and by load/heap.c."""

import re
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from harness import tools
from harness.contenders import ACTION
from harness.processes import Child, Failure

WARM, REQUESTS, PIPELINED, BATCHES = 200, 1000, 16, 200
ATTACH_SECONDS = 10
READS = {"read", "readv", "recvfrom", "recvmsg"}
WRITES = {"write", "writev", "sendto", "sendmsg", "sendfile"}
LENGTH = re.compile(rb"\r\nContent-Length: *(\d+)", re.IGNORECASE)


class Connection:
    """A persistent connection that sends one request repeatedly."""

    def __init__(self, port, request):
        self.socket = socket.create_connection(("127.0.0.1", port), ATTACH_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request, self.received = request, b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, rounds, together=1):
        """Sends several requests in one segment and reads all responses, `count` times."""
        for _ in range(rounds):
            self.socket.sendall(self.request * together)
            for _ in range(together):
                self._take_answer()

    def _take_answer(self):
        while (end := self.received.find(b"\r\n\r\n")) < 0:
            self._receive()
        length = LENGTH.search(self.received, 0, end + 2)
        if not self.received.startswith(b"HTTP/1.1 200") or not length:
            raise Failure(f"not an answer 200 with a length: {self.received[:end].decode(errors='replace')}")
        while len(self.received) < (whole := end + 4 + int(length[1])):
            self._receive()
        self.received = self.received[whole:]

    def _receive(self):
        part = self.socket.recv(65536)
        if not part:
            raise Failure("the server closed the connection")
        self.received += part


@contextmanager
def _counted(server, into):
    """Counts the calls of all threads of a server, by name, from `with` to the end of the block."""
    pids = server.pids()
    with tempfile.NamedTemporaryFile("r", dir=tools.WORK) as summary:
        command = ["strace", "-c", "-f", "-U", "calls,name", "-o", summary.name, *(f"-p{pid}" for pid in pids)]
        with Child(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as strace:
            told = ""
            while told.count(" attached") < len(pids):
                told += strace.read_line(ATTACH_SECONDS)
            yield
        for line in Path(summary.name).read_text().splitlines():
            count, _, name = line.strip().partition(" ")
            if count.isdigit() and name.strip() != "total":
                into[name.strip()] = int(count)


def _request(contender, server, post):
    if not post:
        return f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    path = contender.create_sessions(server, 1)[0][1]
    return (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(ACTION)}\r\n\r\n{ACTION}").encode()


def _sums(counts, rounds):
    """Calls a round: by name, the most first, and the reads, the writes and the others."""
    each = {name: count / rounds for name, count in sorted(counts.items(), key=lambda item: -item[1])}
    reads = sum(each.get(name, 0) for name in READS)
    writes = sum(each.get(name, 0) for name in WRITES)
    return each, reads, writes, sum(each.values()) - reads - writes


def calls(contender, post):
    """Requests one by one, and then 16 in one segment, over a connection that has been used before."""
    with tempfile.NamedTemporaryFile(buffering=0, dir=tools.WORK) as heap:
        heap.truncate(8)
        # Not for the peers: Go has its own heap, and nginx uses pools.
        preload = [{"LD_PRELOAD": str(tools.WORK / "heap.so"), "BENCH_HEAP": heap.name}]
        with contender.start(*preload if contender.name == "storehouse" else ()) as server:
            with Connection(server.port, _request(contender, server, post)) as connection:
                return _measure(server, connection, heap)


def _measure(server, connection, heap):
    def given():
        heap.seek(0)
        return int.from_bytes(heap.read(8), "little")

    single, pipelined = {}, {}
    connection.send(WARM)
    connection.send(WARM // PIPELINED, PIPELINED)
    before = given()
    connection.send(REQUESTS)
    allocations = (given() - before) / REQUESTS
    with _counted(server, single):
        connection.send(REQUESTS)
    with _counted(server, pipelined):
        connection.send(BATCHES, PIPELINED)
    result = {"allocations": allocations} if before else {}
    for prefix, counts, rounds in (("", single, REQUESTS), ("pipelined", pipelined, BATCHES)):
        by_name, *sums = _sums(counts, rounds)
        names = ("reads", "writes", "others", "calls")
        if prefix:
            names = [prefix + name.capitalize() for name in names]
        result |= dict(zip(names, (*sums, by_name)))
    return result
