"""The contenders: how to start each server, the paths of its sessions and streams, and how to run each library."""

import getpass
import http.client
import json
import os
import re
import socket
import subprocess
import time
from pathlib import Path

from harness import machine, tools
from harness.processes import Child, Failure, output_of

START_SECONDS = 10
LISTENING = re.compile(rb"listening on http://127\.0\.0\.1:(\d+)")
ACTION = '{"type":"counter/increment"}'

# The size of the other servers' events, the whole state of kind `app`; nchan forwards it unchanged.
NCHAN_MESSAGE = json.dumps({
    "revision": "@REVISION@",
    "state": {
        "counter": {"count": 1},
        "user": {"balance": 0},
        "betslip": {"selections": [], "placed": [], "totalStake": 0},
        "animal": {"currentAnimal": "", "isLoading": False, "error": None},
        "login": {"status": "idle", "hasValidCredentials": False, "isLoading": False,
                  "isAuthenticated": False, "error": None},
        "tasks": {"entities": {}, "ids": [], "favorited": []},
        "calendar": {"selectedDay": None},
        "trends": {"added": 0, "completed": 0, "removed": 0},
        "settings": {"theme": "system", "locale": "en", "notifications": True},
    },
}, separators=(",", ":")).replace('"@REVISION@"', "@REVISION@")


class Server:
    """A running server: `port`, its processes, and how long it took to listen."""

    def __init__(self, child, port, start_seconds, proxy=None):
        self.child, self.port, self.start_seconds, self.proxy = child, port, start_seconds, proxy

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in filter(None, (self.proxy, self.child)):
            child.stop()

    def pids(self):
        """The process and its children (nginx: master and workers)."""
        pid = self.child.pid
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        except FileNotFoundError:
            children = []
        return [pid, *map(int, children)]

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS)

    def ask(self, path, body=None):
        """The status and text of the response to a GET, or to a POST if there is a body."""
        connection = self.connection()
        try:
            connection.request("POST" if body else "GET", path, body, {"Content-Type": "application/json"} if body else {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def get(self, path):
        """The status only."""
        return self.ask(path)[0]

    def read(self, path, body=None):
        """The text of a response, which must be 2xx."""
        status, text = self.ask(path, body)
        if status // 100 != 2:
            raise Failure(f"{status} to {path}: {text[:200]}")
        return text


class StateServer:
    """Storehouse and the Go peer, which has the same API."""

    first_event = True
    # Environment variables of the load programs, which make headers of them.
    headers = {}

    def __init__(self, name, program, arguments, environment=None, publication=ACTION):
        self.name, self.program, self.arguments, self.publication = name, program, arguments, publication
        self.environment = {**os.environ, **(environment or {})}

    def start(self, environment=None, heartbeat=None, port=None):
        """A fresh server, optionally with a heartbeat interval in seconds, and on this port."""
        environment = dict(environment or {})
        if heartbeat:
            environment["STOREHOUSE_STREAMS_HEARTBEAT"] = str(heartbeat)
        log = tools.WORK / (f"{self.name}-{port}.log" if port else f"{self.name}.log")
        arguments = [*self.arguments[:-1], port] if port else self.arguments
        with open(log, "wb") as output:
            begin = time.monotonic()
            child = Child([self.program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=output, cwd=tools.WORK, env=self.environment | environment)
        while not (found := LISTENING.search(log.read_bytes())):
            if child.process.poll() is not None or time.monotonic() - begin > START_SECONDS:
                child.stop()
                raise Failure(f"{self.name} does not listen: {_tail(log)}")
            time.sleep(0.001)
        return Server(child, int(found[1]), time.monotonic() - begin)

    def create_sessions(self, server, count):
        """Creates `count` sessions of the default kind; returns their paths for events and for actions."""
        locations = output_of([tools.WORK / "sessions", server.port, count], 60 + count / 500,
                              env=os.environ | self.headers).split()
        bases = [re.sub(r"^https?://[^/]+", "", location) for location in locations]
        return [(f"{base}/events", f"{base}/actions") for base in bases]


class OutboxServer(StateServer):
    """Storehouse, with a client for each stream that is told of its entries, and one that sends them."""

    client = "benchmark-publisher-of-entries"
    publication = json.dumps({"client": client, "from": "@REVISION@", "entries": [{"actions": [json.loads(ACTION)]}]}
                             ).replace('"@REVISION@"', "@REVISION@")

    def __init__(self, of):
        super().__init__("sync", of.program, of.arguments, of.environment, self.publication)

    def create_sessions(self, server, count):
        paths = []
        for events, actions in super().create_sessions(server, count):
            sync = actions.replace("/actions", "/sync")
            server.read(sync, json.dumps({"client": self.client, "new": True, "from": 1}))
            paths.append((f"{events}?sync=benchmark-client-of-stream-@STREAM@", sync))
        return paths


class Proxied(StateServer):
    """Storehouse behind HAProxy, whose CPU counts as load."""

    def __init__(self, name, of, unix=False, http2=False):
        super().__init__(name, of.program, of.arguments, of.environment)
        self.unix, self.http2 = unix, http2

    def start(self):
        path = tools.WORK / "proxied.socket"
        server = super().start({"STOREHOUSE_HTTP_LISTEN": f"unix:{path}"} if self.unix else None)
        address, port = f"unix@{path}" if self.unix else f"127.0.0.1:{server.port}", free_port()
        file = tools.WORK / "haproxy.cfg"
        template = (tools.FOLDER / "peers" / "haproxy.cfg").read_text()
        file.write_text(template.replace("@PORT@", str(port)).replace("@SERVER@", address + " proto h2" * self.http2))
        begin = time.monotonic()
        proxied = Server(server.child, port, server.start_seconds,
                         Child([tools.HAPROXY, "-db", "-f", file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        while not Nginx.answers(proxied):
            if proxied.proxy.process.poll() is not None or time.monotonic() - begin > START_SECONDS:
                proxied.__exit__()
                raise Failure(f"{self.name}: HAProxy does not answer")
            time.sleep(0.001)
        return proxied


class Floor(StateServer):
    """Fixed bytes for each request, and one `send` for each event of a stream: nothing on this machine can be faster."""

    def create_sessions(self, _server, count):
        return [(f"/events/{index}", f"/actions/{index}") for index in range(count)]


class Nginx:
    """nginx with nchan: the plain answer, and fan-out from a publisher to its channel's streams."""

    first_event = False
    publication = NCHAN_MESSAGE
    headers = {}

    def __init__(self, name, workers):
        self.name, self.workers = name, workers

    def start(self, heartbeat=None):
        folder = tools.WORK / self.name
        folder.mkdir(exist_ok=True)
        port = free_port()
        template = (tools.FOLDER / "peers" / "nginx.conf").read_text()
        values = {"MODULE": tools.NCHAN, "USER": getpass.getuser(), "WORKERS": self.workers, "FILES": 20000,
                  "FOLDER": folder, "PORT": port, "HEARTBEAT": heartbeat or 0}
        for key, value in values.items():
            template = template.replace(f"@{key}@", str(value))
        (folder / "nginx.conf").write_text(template)
        log = tools.WORK / f"{self.name}.log"
        with open(log, "wb") as output:
            begin = time.monotonic()
            child = Child([tools.NGINX, "-p", folder, "-c", folder / "nginx.conf"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=output)
        server = Server(child, port, 0)
        while not self.answers(server):
            if child.process.poll() is not None or time.monotonic() - begin > START_SECONDS:
                child.stop()
                raise Failure(f"{self.name} does not listen: {_tail(log)}")
            time.sleep(0.001)
        server.start_seconds = time.monotonic() - begin
        return server

    @staticmethod
    def answers(server):
        try:
            return server.get("/healthz") == 200
        except OSError:
            return False

    def create_sessions(self, _server, count):
        return [(f"/events/{index}", f"/publish/{index}") for index in range(count)]


class Library:
    """A store library, measured in its own process, which prints its numbers as a line of JSON."""

    def __init__(self, name, command, environment=None):
        self.name, self.command = name, command
        self.environment = {**os.environ, **(environment or {})}

    def run(self, case, milliseconds):
        # A case has several measurements, each with a warm-up; in one of them the load slows itself down.
        seconds = 60 + milliseconds / 1000 * 60
        return json.loads(output_of([*self.command, case, milliseconds], seconds, env=self.environment))


class SwiftClient(Library):
    """The Swift client, with a fresh server for each case."""

    def __init__(self, name, command, server):
        super().__init__(name, command)
        self.server = server

    def run(self, case, count):
        with self.server.start() as server:
            self.environment["STOREHOUSE_URL"] = f"http://127.0.0.1:{server.port}"
            return super().run(case, count)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _tail(log):
    return log.read_text(errors="replace").strip()[-400:] or "it said nothing"


def storehouse(program, name="storehouse"):
    # More streams on one session than a public server would allow; everything else at its default.
    return StateServer(name, program, ["serve", "--port", "0"],
                       {"STOREHOUSE_STREAMS_MAX_PER_SESSION": "20000"})


def storehouse_with_tokens(program):
    """A server in token mode, and a token for its clients."""
    secret = tools.WORK / "secret"
    secret.write_text("the-secret-of-the-benchmark-is-no-secret")
    server = storehouse(program, "with a token")
    server.environment |= {"STOREHOUSE_ACCESS_MODE": "token", "STOREHOUSE_ACCESS_SECRET": secret.read_text()}
    token = output_of([program, "token", "--secret-file", secret, "--sub", "bench", "--expires", "8h"], 10)
    server.headers = {"BENCH_AUTHORIZATION": f"Bearer {token.strip()}"}
    return server


def proxied(program):
    """A server behind HAProxy, by their ways to each other."""
    direct = storehouse(program, "direct")
    return {each.name: each for each in (
        direct, Proxied("by TCP", direct), Proxied("by a Unix socket", direct, unix=True),
        Proxied("by h2", direct, http2=True), Proxied("by h2 on a Unix socket", direct, unix=True, http2=True))}


def tallies(program):
    """One store, declared in three ways: a server for each."""
    def tally(name):
        publication = json.dumps({"type": f"{name}/add", "payload": {"step": 1}})
        return StateServer(name, program, ["serve", "--port", "0"], {"STOREHOUSE_SESSIONS_DEFAULT_STORE": name},
                           publication)
    return {name: tally(name) for name in ("by-hand", "defined", "codable")}


def go(program):
    return StateServer("go", program, ["serve", "--port", "0"])


def floor():
    return Floor("floor", tools.WORK / "floor", [str(machine.cores())])


def nginx():
    return Nginx("nginx", machine.cores())


def stores(program, name="stores"):
    return Library(name, [program])


def client(program):
    return Library("storehouse.js", ["node", tools.FOLDER / "client" / "bench.mjs"], {"STOREHOUSE": str(program.resolve())})


def swift_client(program, server):
    return SwiftClient("StorehouseClient", [program], storehouse(server))


def redux():
    return Library("redux", ["node", tools.FOLDER / "peers" / "redux" / "bench.js"],
                   {"NODE_PATH": tools.NODE_MODULES, "NODE_ENV": "production"})
