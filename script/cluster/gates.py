"""TCP gates that can be cut, and the load balancer."""

import asyncio
import contextlib
import hashlib
import random
import re
import socket

from cluster.wire import Lost, ask

SESSION = re.compile(rb"/sessions/([A-Za-z0-9_-]{16,64})")


def free_port():
    """A port that is free, and that the system gives to no outgoing connection while its process is down."""
    while True:
        port = random.randrange(12_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Gate:
    """A TCP proxy to the port that `target` returns.

    While it is cut by `silence`, no byte passes, as in a network that loses packets: after `heal` the bytes come late. While it is
    cut by `reset`, all connections are closed.
    """

    def __init__(self, target):
        self.target, self.port, self.state, self.pairs, self.server = target, None, "open", set(), None

    async def open(self):
        loop = asyncio.get_running_loop()
        self.server = await loop.create_server(lambda: _Near(self), "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    def silence(self):
        self.state = "silent"

    def reset(self):
        self.state = "reset"
        self.close_all()

    def heal(self):
        self.state = "open"
        for near in list(self.pairs):
            near.flush()

    def close_all(self):
        for near in list(self.pairs):
            near.abort()


class _Near(asyncio.Protocol):
    """The side of a gate's connection that was accepted."""

    def __init__(self, gate):
        self.gate, self.near, self.far, self.waiting, self.ended = gate, None, None, ([], []), [False, False]

    def connection_made(self, transport):
        self.near = transport
        if self.gate.state == "reset":
            transport.abort()
            return
        self.gate.pairs.add(self)
        self.flush()

    async def connect(self):
        try:
            self.far, _ = await asyncio.get_running_loop().create_connection(lambda: _Far(self), "127.0.0.1", self.gate.target())
        except OSError:
            self.abort()
            return
        if self not in self.gate.pairs:
            self.far.abort()
        self.flush()

    def data_received(self, data):
        self.waiting[0].append(data)
        self.flush()

    def eof_received(self):
        self.ended[0] = True
        self.flush()
        return True

    def connection_lost(self, _error):
        self.abort()

    def flush(self):
        """Passes on what waits, unless the gate is cut."""
        if self.gate.state != "open" or self not in self.gate.pairs:
            return
        if self.far is None:
            self.far = False  # under way
            asyncio.get_running_loop().create_task(self.connect())
        if not self.far:
            return
        if self.far.is_closing():
            self.near.close()
            return
        for index, transport in ((0, self.far), (1, self.near)):
            if self.waiting[index] and not transport.is_closing():
                transport.write(b"".join(self.waiting[index]))
                self.waiting[index].clear()
            if self.ended[index] and not transport.is_closing() and transport.can_write_eof():
                self.ended[index] = False
                with contextlib.suppress(OSError):  # the other side is gone
                    transport.write_eof()

    def abort(self):
        self.gate.pairs.discard(self)
        for transport in (self.near, self.far):
            if transport:
                transport.abort()


class _Far(asyncio.Protocol):
    """The side that was connected."""

    def __init__(self, near):
        self.near = near

    def data_received(self, data):
        self.near.waiting[1].append(data)
        self.near.flush()

    def eof_received(self):
        self.near.ended[1] = True
        self.near.flush()
        return True

    def connection_lost(self, _error):
        # Nobody learns of it until the gate is healed.
        if self.near.gate.state != "silent":
            self.near.near.close()


class Balancer:
    """A load balancer that chooses a node for each connection of a client.

    `random` ignores sessions and the health of nodes. `hash` takes the node of the session's id, by rendezvous hashing, and skips
    nodes that are not ready. A node that refuses the connection is skipped in both.
    """

    def __init__(self, policy, ports, seed):
        self.policy, self.ports, self.random, self.port = policy, ports, random.Random(seed), None
        self.ready = set(ports)

    async def open(self):
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 20)
        self.port = server.sockets[0].getsockname()[1]
        self.server, self.tasks = server, [asyncio.create_task(self._watch(port)) for port in self.ports]
        return self

    def close(self):
        self.server.close()
        for task in self.tasks:
            task.cancel()

    async def _watch(self, port):
        while True:
            try:
                good = (await ask(port, "GET", "/readyz", patience=1)).status == 200
            except Lost:
                good = False
            (self.ready.add if good else self.ready.discard)(port)
            await asyncio.sleep(0.3)

    def order(self, head):
        """The ports of the nodes in the order in which they are tried."""
        session = SESSION.search(head)
        if self.policy == "random" or not session:
            return self.random.sample(self.ports, len(self.ports))
        def weight(port):
            digest = hashlib.sha256(session[1] + str(self.ports.index(port)).encode()).digest()
            return port not in self.ready, digest
        return sorted(self.ports, key=weight)

    async def _serve(self, reader, writer):
        far = None
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            for port in self.order(head):
                try:
                    far_reader, far = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 1)
                    break
                except (OSError, asyncio.TimeoutError):
                    continue
            else:
                return
            far.write(head)
            halves = [asyncio.ensure_future(_pump(reader, far)), asyncio.ensure_future(_pump(far_reader, writer))]
            await asyncio.wait(halves, return_when=asyncio.FIRST_COMPLETED)
            for half in halves:
                half.cancel()
        except (OSError, EOFError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            for each in (writer, far):
                if each:
                    each.transport.abort() if each.transport.is_closing() else each.close()


async def _pump(reader, writer):
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
