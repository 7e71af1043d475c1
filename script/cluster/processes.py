"""The processes of a cluster: Redis servers, nodes and the upstream of their effects."""

import asyncio
import os
import random
import signal
import subprocess
import time

from cluster.gates import Gate, free_port
from cluster.wire import Lost, ask

START_SECONDS = 30
running = set()


class StartFailed(Exception):
    """A process that did not start, or that ended although nobody had ended it."""


def end_all():
    for process in list(running):
        process.kill()
        process.wait()


def tail(path, lines=12):
    return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])


class Process:
    """A process with its log, which can be started again."""

    def __init__(self, name, log):
        self.name, self.log, self.process = name, log, None

    def spawn(self, command, environment=None):
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(
                [str(part) for part in command], cwd=self.log.parent, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=output)
        running.add(self.process)

    def signal(self, number):
        self.process.send_signal(number)

    async def end(self, number, seconds=60):
        """Sends a signal, and returns the exit status."""
        self.signal(number)
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                raise StartFailed(f"{self.name} did not end within {seconds} s of signal {number}:\n{tail(self.log)}")
            await asyncio.sleep(0.01)
        running.discard(self.process)
        return self.process.returncode

    def check(self):
        if self.process.poll() is not None:
            raise StartFailed(f"{self.name} has ended with status {self.process.returncode}:\n{tail(self.log, 40)}")


class Redis(Process):
    """A redis-server with an append-only file."""

    def __init__(self, name, directory, sync="always"):
        self.directory, self.port, self.sync = directory / name, free_port(), sync
        self.directory.mkdir()
        super().__init__(name, directory / f"{name}.log")

    def start(self, primary=None):
        """Starts it with what it has stored, as a replica of another if there is one."""
        follow = ["--replicaof", "127.0.0.1", primary.port] if primary else []
        self.spawn(["redis-server", "--port", self.port, "--bind", "127.0.0.1", "--dir", self.directory, "--save", "",
                    "--appendonly", "yes", "--appendfsync", self.sync, "--repl-diskless-sync-delay", "0",
                    "--enable-debug-command", "no", *follow])

    def newest_file(self):
        """The file that commits are appended to."""
        return max((self.directory / "appendonlydir").glob("*.incr.aof"), key=lambda path: path.stat().st_mtime)

    async def execute(self, *arguments):
        """The reply to a command, by redis-cli; None if there is none within two seconds."""
        process = await asyncio.create_subprocess_exec(
            "redis-cli", "-p", str(self.port), *map(str, arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            output, _ = await asyncio.wait_for(process.communicate(), 2)
        except asyncio.TimeoutError:
            process.kill()
            await process.wait()
            return None
        return output.decode().strip() if process.returncode == 0 else None

    async def until(self, found, *command):
        """Waits until the reply to a command contains a text."""
        deadline = time.monotonic() + START_SECONDS
        while found not in (await self.execute(*command) or ""):
            self.check()
            if time.monotonic() > deadline:
                raise StartFailed(f"{self.name}: {' '.join(command)} does not say {found}:\n{tail(self.log)}")
            await asyncio.sleep(0.05)


class Node(Process):
    """A `storehouse serve`, which reaches Redis and is reached by other nodes through gates."""

    def __init__(self, number, program, directory, settings):
        super().__init__(f"node {number}", directory / f"node-{number}.log")
        self.number, self.program, self.settings, self.port = number, program, settings, free_port()
        self.redis = self.peers = None

    async def open_gates(self, primary):
        """`primary` returns the port of the Redis server that is in use."""
        self.redis, self.peers = await Gate(primary).open(), await Gate(lambda: self.port).open()

    @property
    def address(self):
        return f"127.0.0.1:{self.peers.port}"

    def start(self):
        settings = self.settings | {
            "http_port": self.port, "storage_redis_url": f"redis://127.0.0.1:{self.redis.port}/0", "cluster_address": self.address}
        environment = {f"STOREHOUSE_{name.upper()}": str(value) for name, value in settings.items()}
        self.spawn([self.program, "serve"], {name: value for name, value in os.environ.items()
                                            if not name.startswith("STOREHOUSE_")} | environment)

    async def ask(self, method, path, body=None, headers=None, patience=15):
        return await ask(self.port, method, path, body, headers, patience)

    async def until_ready(self, seconds=START_SECONDS):
        """Waits until it is ready, and returns the time it took."""
        begin = time.monotonic()
        while True:
            self.check()
            try:
                answer = await self.ask("GET", "/readyz", patience=2)
                if answer.status == 200:
                    return time.monotonic() - begin
            except Lost as error:
                answer = error
            if time.monotonic() - begin > seconds:
                raise StartFailed(f"{self.name} is not ready within {seconds} s: {answer}\n{tail(self.log)}")
            await asyncio.sleep(0.05)

    def is_running(self):
        return self.process.poll() is None


class Upstream:
    """The remote API of the effects: answers late, each time with another name."""

    def __init__(self, slowest, seed):
        self.slowest, self.random, self.calls, self.port = slowest, random.Random(seed), 0, None

    async def open(self):
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port, self.server = server.sockets[0].getsockname()[1], server
        return self

    async def _serve(self, reader, writer):
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                self.calls += 1
                body = f'{{"animal":"animal {self.calls}"}}'.encode()
                await asyncio.sleep(self.random.uniform(0.05, self.slowest))
                head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                writer.write(head.encode() + body)
        except (OSError, EOFError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


SIGNALS = {"kill": signal.SIGKILL, "drain": signal.SIGTERM, "pause": signal.SIGSTOP, "continue": signal.SIGCONT}
