"""The real server, which the scenarios start, kill and read."""
import asyncio
import re
import secrets
import signal
import socket
import tempfile

from . import wire

PATIENCE = 30  # real seconds in which a node on Redis serves the sessions of one that was killed
LISTENING = re.compile(rb"listening on http://127\.0\.0\.1:(\d+)")


class Server:
    """A program that is started again with the same storage, at another port each time."""

    def __init__(self, program, storage="memory", settings=None):
        self.program, self.storage = program, storage
        self.folder = tempfile.TemporaryDirectory(prefix="conformance-")
        self.settings = {"storage.kind": "memory" if storage == "memory" else storage} | (settings or {})
        if storage == "sqlite":
            self.settings["storage.path"] = f"{self.folder.name}/store.db"
        self.address = None
        self._process = self._redis = self._reader = None
        self._port = 0  # Redis knows a node by its address
        self._lines = []

    async def start(self):
        if self.storage == "redis" and "storage.redis.url" not in self.settings:
            await self._start_redis()
        options = [part for name, value in self.settings.items() for part in ("--set", f"{name}={value}")]
        self._process = await asyncio.create_subprocess_exec(
            self.program, "serve", "--port", str(self._port), *options, stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE, cwd=self.folder.name)
        async for line in self._process.stderr:
            self._lines.append(line)
            if found := LISTENING.search(line):
                self.address = ("127.0.0.1", int(found[1]))
                self._reader = asyncio.ensure_future(self._drain(self._process.stderr))
                return
        raise RuntimeError("the server does not start: " + b"".join(self._lines[-5:]).decode())

    async def ready(self):
        if not self.address:
            await self.start()

    async def _drain(self, pipe):
        async for _ in pipe:
            pass

    async def _start_redis(self):
        path = f"{self.folder.name}/redis.sock"
        self._redis = await asyncio.create_subprocess_exec(
            "redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "yes", "--appendfsync", "always",
            "--dir", self.folder.name, stdout=asyncio.subprocess.PIPE)
        async for line in self._redis.stdout:
            if b"eady to accept connections" in line:
                break
        self.join({
            "storage.redis.url": f"unix://{path}", "storage.key": secrets.token_hex(32), "cluster.secret": secrets.token_hex(32),
            "cluster.lease": 1})

    def join(self, settings):
        """Makes it a node of these settings, with an address of its own."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.settings |= settings | {"cluster.address": f"127.0.0.1:{self._port}"}

    async def stop(self, how=signal.SIGKILL):
        self.address = None
        if self._process and self._process.returncode is None:
            self._process.send_signal(how)
            await self._process.wait()
        if self._reader:
            await self._reader

    @property
    def processes(self):
        alive = [process for process in (self._process, self._redis) if process and process.returncode is None]
        return [process.pid for process in alive]

    async def restart(self):
        await self.stop()
        await self.start()

    async def close(self):
        await self.stop()
        if self._redis:
            self._redis.kill()
            await self._redis.communicate()
        self.folder.cleanup()

    async def ask(self, method, path, value=None, headers=None):
        return await wire.ask(self.address, method, path, value, headers)


class Cluster:
    """Several nodes on one Redis. Requests go to one of them, and after its death to the next."""

    storage = "redis"

    def __init__(self, program, count, settings):
        self.nodes, self.at = [Server(program, "redis", settings) for _ in range(count)], 0

    @property
    def address(self):
        return self.nodes[self.at].address

    @property
    def processes(self):
        return [pid for node in self.nodes for pid in node.processes]

    def choose(self, node):
        self.at = node

    async def ready(self):
        self.at = 0
        first, *others = self.nodes
        await first.ready()
        for node in others:
            if "cluster.address" not in node.settings:
                node.join(first.settings)
            await node.ready()

    async def restart(self):
        """The node dies, and comes back while another one serves."""
        victim, self.at = self.nodes[self.at], (self.at + 1) % len(self.nodes)
        await victim.restart()

    async def stop_node(self, node):
        await self.nodes[node].stop()

    async def close(self):
        for node in reversed(self.nodes):
            await node.close()

    async def ask(self, method, path, value=None, headers=None):
        return await wire.ask(self.address, method, path, value, headers)


async def _answer(server, *request):
    """The answer of a server that may have just been started."""
    for _ in range(PATIENCE * 20):
        status, body = await server.ask(*request)
        if status not in (503, 504):
            break
        await asyncio.sleep(0.05)
    return status, body


class Session:
    """A session of the server as it is without any fault: the truth that a client is compared with."""

    def __init__(self, server, path):
        self.server, self.path = server, path

    @staticmethod
    async def create(server):
        status, document = await _answer(server, "POST", "/sessions", {"store": "app"})
        assert status == 201, document
        return Session(server, "/sessions/" + document["id"])

    async def served(self):
        """Waits until the server has its sessions back."""
        await _answer(self.server, "GET", self.path + "/state?select=/counter")

    async def act(self, actions):
        return await self.server.ask("POST", self.path + "/actions", actions)

    async def end(self):
        await self.server.ask("DELETE", self.path)

    async def revision(self):
        return (await self.server.ask("GET", self.path + "/state?select=/counter"))[1]["revision"]

    async def state(self):
        """The revision and the state."""
        status, body = await self.server.ask("GET", self.path + "/state")
        return (body["revision"], body["state"]) if status == 200 else (None, None)

    async def history(self):
        """The name of the history, if there is a session."""
        response = await wire.exchange(self.server.address, "GET", self.path + "/state?select=/counter")
        await response.read()
        response.close()
        return response.headers["etag"].strip('"').partition(".")[2] if response.status == 200 else None

    async def log(self):
        """All committed actions, with the patch of each."""
        actions, after = [], 0
        while after is not None:
            status, page = await self.server.ask("GET", f"{self.path}/actions?changes=true&limit=1000&after={after}")
            assert status == 200, page
            actions += page["actions"]
            after = page["next"]
        return actions

    async def first_state(self):
        return (await self.server.ask("GET", self.path + "/state?revision=0"))[1]["state"]
