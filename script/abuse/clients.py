"""A server under abuse, the normal client beside it, and the abusers."""

import contextlib
import http.client
import json
import multiprocessing
import os
import pathlib
import socket
import time

from storage.checks import eventually, expect
from storage.server import SECONDS, Server

# One character of eight bytes, so that a text of few characters is large.
WIDE = "\N{THUMBS UP SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}"
TASK = {"type": "tasks/add", "payload": {"title": WIDE * 480}}
TASKS_PER_BATCH = 15


class Target:
    """A server whose storage is in memory unless the settings say otherwise."""

    def __init__(self, program, directory, **settings):
        defaults = {"storage_kind": "memory", "inspector_enabled": "false", "sessions_max_state_bytes": 64 << 20}
        self.server = Server(program, directory / "abuse.db", **(defaults | settings))
        self.connection = self.server.connect()
        self.unread, self.descriptors_before, self.normal_session = [], 0, None

    @property
    def port(self):
        return self.server.port

    def ask(self, method, path, body=None, headers=None):
        """The status, the body and the headers of the response."""
        try:
            return self.server.answer(self.connection, method, path, body, headers)
        except (ConnectionError, http.client.HTTPException):
            # The server closes an idle connection.
            self.connection.close()
            return self.server.answer(self.connection, method, path, body, headers)

    def session(self, store="app"):
        """The path of a new session."""
        status, _, headers = self.ask("POST", "/sessions", {"store": store})
        expect(status == 201, "a session is not created:", status)
        return headers["Location"]

    def large_session(self, size):
        """The path of a session whose state has at least `size` bytes, and its newest revision."""
        path, revision = self.session("planner"), 0
        while revision * len(json.dumps(TASK, ensure_ascii=False).encode()) < size:
            status, answer, _ = self.ask("POST", path + "/actions?select=/nothing", [TASK] * TASKS_PER_BATCH)
            expect(status == 200, "a batch is not committed:", status, answer)
            revision = answer["revision"]
        return path, revision

    def send(self, path, count=1):
        """Asks for a resource on so many connections, and reads nothing."""
        self.descriptors_before = self.descriptors_before or self.descriptors()
        for _ in range(count):
            reader = socket.socket()
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.connect(("127.0.0.1", self.port))
            reader.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.unread.append(reader)

    def wait_until_cut(self):
        """Waits until the server has closed the connections that take nothing."""
        # The normal client of the last measurement may have left a connection.
        eventually(lambda: self.descriptors() <= self.descriptors_before + 1, "connections that take nothing are cut")

    def descriptors(self):
        """The number of files and connections that the server has open."""
        return len(os.listdir(f"/proc/{self.server.process.pid}/fd"))

    def memory(self):
        """The resident bytes of the server. From now on the most of them is noted."""
        (self.process_files / "clear_refs").write_text("5", encoding="ascii")
        return self._resident("VmRSS")

    def most_memory(self):
        """The most resident bytes of the server since it was asked for them."""
        return self._resident("VmHWM")

    def _resident(self, field):
        for line in (self.process_files / "status").read_text(encoding="ascii").splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) << 10
        raise AssertionError("the server has ended")

    @property
    def process_files(self):
        return pathlib.Path(f"/proc/{self.server.process.pid}")

    def metric(self, name):
        # The server closes an idle connection.
        self.connection.close()
        self.connection.request("GET", "/metrics")
        for line in self.connection.getresponse().read().decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        raise AssertionError(f"no metric {name}")


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def measure(port, path, seconds, times):
    """The normal client: 200 actions a second. Puts its waiting times into the queue `times`."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    json_type = {"Content-Type": "application/json"}
    waited, due = [], time.monotonic()
    until = due + seconds
    while due < until:
        time.sleep(max(0, due - time.monotonic()))
        begin = time.monotonic()
        connection.request("POST", path + "/actions", '{"type":"counter/increment"}', json_type)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            times.put(f"the normal client was answered {answer.status}")
            return
        waited.append(time.monotonic() - begin)
        due += 0.005
    times.put(waited)


def normal_client(target, seconds):
    """The median and the 99th percentile of the normal client's waiting times, in seconds."""
    # Made before there is any abuse.
    target.normal_session = target.normal_session or target.session()
    times = multiprocessing.Queue()
    client = multiprocessing.Process(
        target=measure, args=(target.port, target.normal_session, seconds, times), daemon=True)
    client.start()
    waited = times.get(timeout=seconds * 20 + SECONDS)
    client.join()
    expect(isinstance(waited, list), waited)
    return percentile(waited, 0.5), percentile(waited, 0.99)


def repeat(port, requests, stopped):
    """Sends requests one after another and reads the answers, until `stopped` is set."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    while not stopped.is_set():
        for method, path, body, headers in requests:
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection.request(method, path, body, headers)
                connection.getresponse().read()
            if stopped.is_set():
                return


@contextlib.contextmanager
def abusers(target, *clients):
    """Runs processes that each repeat a list of requests as fast as they can."""
    stopped = multiprocessing.Event()
    processes = [
        multiprocessing.Process(target=repeat, args=(target.port, requests, stopped), daemon=True) for requests in clients]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        stopped.set()
        for process in processes:
            process.join(5)
            process.kill()
