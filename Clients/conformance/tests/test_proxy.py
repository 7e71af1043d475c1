"""Whether the proxy tells two requests in flight from one that the client has given up."""
import asyncio
import json
import socket
import unittest
from unittest import mock

from kit import proxy
from kit.trace import Trace


class Upstream:
    """A server that answers when it is told to."""

    def __init__(self):
        self.asked, self.answers = asyncio.Semaphore(0), asyncio.Event()

    async def start(self):
        self.listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = self.listener.sockets[0].getsockname()

    async def _serve(self, reader, writer):
        await reader.readuntil(b"}")
        self.asked.release()
        await self.answers.wait()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()


def request():
    body = json.dumps({"client": "c", "from": 1, "entries": 0}).encode()
    return b"POST /sessions/s/sync HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body


async def send(address):
    reader, writer = await asyncio.open_connection(*address)
    writer.write(request())
    return reader, writer


class InFlight(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.upstream, self.trace = Upstream(), Trace()
        await self.upstream.start()
        self.proxy = proxy.Proxy(self.upstream, self.trace)
        await self.proxy.start()
        self.address = self.proxy._listener.sockets[0].getsockname()

    async def asyncTearDown(self):
        await self.proxy.close()
        self.upstream.listener.close()

    async def requests(self, gives_up):
        """How many requests were in flight with each of two, where the answer to the first crosses its end."""
        first, writer = await send(self.address)
        await self.upstream.asked.acquire()
        second, other = await send(self.address)
        while not self.proxy.doubted:
            await asyncio.sleep(0)
        self.upstream.answers.set()
        while not self.trace.of("answer"):
            await asyncio.sleep(0)
        if gives_up:
            writer.close()
        await second.read()
        writer.close()
        other.close()
        return [item["in_flight"] for item in self.trace.of("request")]

    async def test_one_that_was_given_up_unread_is_not_in_flight(self):
        """The proxy reads both requests, and then the end of the first one's connection, while it answers that."""
        for fault in ({"do": "refuse"}, {"do": "lose"}, {"do": "answer", "status": 503}, {}):
            self.upstream.answers.set()
            self.trace.items.clear()
            self.proxy.faults.append({"on": "sync"} | fault)
            first, second = (socket.create_connection(self.address) for _ in range(2))
            first.sendall(request())
            first.close()
            second.sendall(request())
            reader, writer = await asyncio.open_connection(sock=second)
            await reader.read()
            writer.close()
            self.assertEqual([item["in_flight"] for item in self.trace.of("request")], [1, 1], fault)

    async def test_a_request_that_was_given_up_is_not_in_flight(self):
        self.assertEqual(await self.requests(gives_up=True), [1, 1])

    async def test_two_requests_are_in_flight(self):
        with mock.patch.object(proxy, "PATIENCE", 0.01):
            self.assertEqual(await self.requests(gives_up=False), [1, 2])


if __name__ == "__main__":
    unittest.main()
