"""A proxy between client and server that has faults, as a scenario says."""
import asyncio
import contextlib
import json
import select
import urllib.parse

from . import wire

LOST = (OSError, asyncio.IncompleteReadError, ValueError)
PATIENCE = 10  # seconds until the end of a connection that a client has given up


class Request:
    """A request as the proxy has seen it."""

    def __init__(self, number, head, fields, body):
        self.id = number
        self.method, self.target, _ = head.split(" ")
        self.fields, self.body = fields, body
        parts = urllib.parse.urlsplit(self.target)
        self.query = dict(urllib.parse.parse_qsl(parts.query))
        self.name = parts.path.rsplit("/", 1)[-1]
        self.json = json.loads(body) if body and self.name in ("sync", "actions") else None

    @property
    def kinds(self):
        """The names by which a fault can choose it."""
        if self.name == "events":
            return {"any", "events"}
        if self.name != "sync":
            return {"any", "other"}
        if self.json.get("new"):
            return {"any", "sync", "begin"}
        return {"any", "sync", "entries" if self.json.get("entries") else "read"}


class Stream:
    """An open event stream on its way to the client."""

    def __init__(self, writer, in_bytes):
        self.writer, self.in_bytes = writer, in_bytes
        self.held = None  # what waits while the stream stalls
        self._turn = asyncio.Lock()
        self.sending = 0  # pieces on their way

    async def send(self, data):
        self.sending += 1
        try:
            async with self._turn:
                await self._send(data)
        finally:
            self.sending -= 1

    async def _send(self, data):
        if self.held is not None:
            self.held += data
            return
        pieces = [data[i:i + 1] for i in range(len(data))] if self.in_bytes else [data]
        for piece in pieces:
            self.writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            if self.in_bytes:
                await self.writer.drain()
                await asyncio.sleep(0)

    def cut(self):
        self.writer.transport.abort()

    def end(self):
        self.writer.write(b"0\r\n\r\n")
        self.writer.close()


class Proxy:
    """Passes requests on to `server.address`, one on each connection, but for those that a fault takes.

    A fault is an object: `on` names the requests, `do` what becomes of them, `times` how many of them (1; 0 is no limit), `skip` how
    many are let pass before. `unless` is a field that makes a request pass.
    """

    def __init__(self, server, trace):
        self.server, self.trace = server, trace
        self.faults, self.streams = [], []
        self.sending = {}  # client id → its requests in flight, each until its connection ends or it is answered
        self.doubted = set()  # those of them behind which the client has sent another one already
        self.held, self.holding, self.holds = asyncio.Event(), 0, True
        self.silent = set()  # connections of requests that are never answered
        self.chooser = None  # a function that chooses a fault in random runs
        self.busy = 0  # requests that are on their way
        self.moved = 0  # pieces of streams that were passed on
        self._tasks, self._count = set(), 0
        self._passing, self._forwarded = asyncio.Event(), 0
        self._passing.set()

    async def start(self):
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=wire.LIMIT)
        self.url = "http://127.0.0.1:%d" % self._listener.sockets[0].getsockname()[1]

    async def close(self):
        self._listener.close()
        self.cut()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def is_idle(self):
        """Whether nothing is on its way that a scenario does not hold."""
        return self.busy == 0 and not any(stream.sending for stream in self.streams)

    # ---- What a scenario does

    def release(self):
        self.held.set()
        self.held, self.holding = asyncio.Event(), 0

    def heal(self):
        """Nothing has a fault any more."""
        self.faults.clear()
        self.chooser, self.holds = None, False
        self.release()

    def cut(self):
        for stream in list(self.streams):
            stream.cut()

    def hang_up(self):
        """Ends the requests that are never answered."""
        for writer in list(self.silent):
            writer.transport.abort()

    def end(self):
        for stream in list(self.streams):
            stream.end()

    async def feed(self, text):
        for stream in list(self.streams):
            await stream.send(text if isinstance(text, bytes) else text.encode())

    def stall(self):
        for stream in self.streams:
            stream.held = stream.held or b""

    async def resume(self):
        for stream in self.streams:
            data, stream.held = stream.held, None
            if data:
                await stream.send(data)

    async def block(self):
        """Passes nothing on until `unblock`, and waits until the server has answered what it has."""
        self._passing.clear()
        while self._forwarded:
            await asyncio.sleep(0)

    def unblock(self):
        self._passing.set()

    # ---- One request

    async def _serve(self, reader, writer):
        task = asyncio.current_task()
        self._tasks.add(task)
        client, state = None, {}
        try:
            request = await self._read(reader, state)
            if request:
                client = request.json.get("client") if request.name == "sync" else None
                fault = self._fault(request)
                state["gone"] = gone = asyncio.ensure_future(self._end(reader))
                in_flight = await self._join(client, gone) if client else 1
                self.trace.add("request", request=request, fault=fault.get("do"), in_flight=in_flight)
                await self._handle(request, fault, writer, state)
        except (*LOST, asyncio.CancelledError):
            state["is_cut"] = True
        finally:
            if "gone" in state:
                if not self._has_ended(writer):
                    state["gone"].cancel()
                self.doubted.discard(state["gone"])
            self._rest(state)
            self.silent.discard(writer)
            writer.transport.abort() if state.get("is_cut") else writer.close()
            self._tasks.discard(task)

    async def _end(self, reader):
        """Waits until the client ends its connection."""
        with contextlib.suppress(OSError):
            await reader.read()

    async def _join(self, client, gone):
        """The number of requests of a client that are in flight, with this one."""
        others = self.sending.setdefault(client, set())
        before = list(others)
        others.add(gone)
        gone.add_done_callback(others.discard)
        # Where a client has given a request up, the next one may be here before the end of its connection.
        if before:
            self.doubted.update(before)
            await asyncio.wait(before, timeout=PATIENCE)
        return 1 + sum(not one.done() or one.cancelled() for one in before)

    async def _doubt(self, gone):
        """Does not answer a request that the client has given up, as the next one shows, before the end of its connection is here."""
        if gone in self.doubted:
            await asyncio.wait([gone], timeout=PATIENCE)

    def _has_ended(self, writer):
        """Whether the client has ended its connection, also where that is not read yet. Nobody waits for the answer to its request then."""
        connection = writer.get_extra_info("socket")
        if connection.fileno() < 0:
            return True
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        return bool(poll.poll(0))

    def leave(self):
        """A page is frozen: nobody can give its requests up, so that they do not count as in flight any more."""
        self.sending.clear()

    def _rest(self, state):
        """The request waits for the client, or for the scenario."""
        if state.pop("is_busy", False):
            self.busy -= 1

    async def _read(self, reader, state):
        first = await reader.read(1)  # a connection without a request is no work
        if not first:
            return None
        state["is_busy"] = True
        self.busy += 1
        head = await wire.read_head(reader, first)
        size = int(head[1].get("content-length", 0))
        if head[1].get("transfer-encoding"):
            raise ValueError("a body in chunks")
        self._count += 1
        return Request(self._count, *head, await reader.readexactly(size))

    def _fault(self, request):
        if self.chooser:
            return self.chooser(request)
        for fault in self.faults:
            name, _, value = fault.get("unless", "").partition(": ")
            if fault["on"] not in request.kinds or name and request.fields.get(name.lower()) == value:
                continue
            if fault.setdefault("skip", 0) > 0:
                fault["skip"] -= 1
                continue
            fault["times"] = fault.get("times", 1) - 1
            if fault["times"] == 0:
                self.faults.remove(fault)
            return fault
        return {}

    async def _handle(self, request, fault, writer, state):
        do = fault.get("do")
        if do == "delay":
            await asyncio.sleep(fault["seconds"])
        if do == "hold":
            await self._hold(state)
        elif do == "silent":
            self._rest(state)
            self.silent.add(writer)
            await state["gone"]
        elif do == "refuse":
            state["is_cut"] = True
            return
        elif do == "crashBefore":
            await self.server.restart()
            state["is_cut"] = True
            return
        elif do == "answer":
            return self._answer(fault, writer)
        elif do == "script":
            return await self._script(fault, writer, state)
        elif do == "firstOnly":
            request.body = json.dumps(request.json | {"entries": request.json["entries"][:1]}).encode()
        elif do == "twice":
            await (await self._forward(request)).read()
        response = await self._forward(request)
        try:
            await self._pass_on(request, response, fault, writer, state)
        finally:
            response.close()

    async def _hold(self, state):
        if not self.holds:
            return
        self._rest(state)
        self.holding += 1
        self.trace.add("hold")
        held = asyncio.ensure_future(self.held.wait())
        await asyncio.wait({held, state["gone"]}, return_when=asyncio.FIRST_COMPLETED)
        held.cancel()

    async def _forward(self, request):
        await self._passing.wait()
        if not self.server.address:
            raise ConnectionRefusedError
        passed = {name: value for name, value in request.fields.items() if name not in ("host", "connection", "content-length")}
        self._forwarded += 1
        try:
            return await wire.exchange(self.server.address, request.method, request.target, passed, request.body or None)
        finally:
            self._forwarded -= 1

    async def _pass_on(self, request, response, fault, writer, state):
        do = fault.get("do")
        if request.name == "events" and response.status == 200:
            return await self._stream(request, response, fault, writer, state)
        body = await response.read()
        self.trace.add("answer", id=request.id, status=response.status, body=body)
        if do == "holdAnswer":
            await self._hold(state)
        await self._doubt(state["gone"])
        if do == "lose" or do == "crashAfter":
            if do == "crashAfter":
                await self.server.restart()
            state["is_cut"] = True
            return
        if do == "firstOnly":
            body = json.dumps(json.loads(body) | {"retryAfter": fault["retryAfter"]}).encode()
        kept = {name: value for name, value in response.headers.items()
                if name in ("content-type", "retry-after", "etag", "location")}
        data = self._head(response.status, kept | {"content-length": str(len(body))}) + body
        if do == "cutAfter":
            writer.write(data[:fault["bytes"]])
            await writer.drain()
            return
        for piece in ([data[i:i + 1] for i in range(len(data))] if do == "bytes" else [data]):
            writer.write(piece)
            await writer.drain()

    def _head(self, status, headers):
        lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {value}" for name, value in headers.items()), "connection: close", "", ""]
        return "\r\n".join(lines).encode()

    def _answer(self, fault, writer):
        body = fault.get("body", "")
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        kind = "text/html" if isinstance(body, str) else "application/problem+json"
        headers = {"content-type": kind} | fault.get("headers", {}) | {"content-length": str(len(data))}
        writer.write(self._head(fault["status"], headers) + data)

    def _open(self, fault, writer, headers):
        stream = Stream(writer, fault.get("do") == "bytes" or fault.get("inBytes"))
        writer.write(self._head(200, headers | {"transfer-encoding": "chunked"}))
        self.streams.append(stream)
        self.trace.add("open", streams=len(self.streams))
        return stream

    async def _script(self, fault, writer, state):
        """A stream that only the scenario feeds."""
        stream = self._open(fault, writer, {"content-type": "text/event-stream; charset=utf-8"})
        try:
            await stream.send(fault.get("text", "").encode())
            self._rest(state)
            await state["gone"]
        finally:
            self.streams.remove(stream)

    async def _stream(self, request, response, fault, writer, state):
        stream = self._open(fault, writer, {"content-type": response.headers["content-type"]})
        left = fault["bytes"] if fault.get("do") == "cutAfter" else None
        watch = state["gone"]
        piece, rest = asyncio.ensure_future(response.piece()), b""
        try:
            if fault.get("do") == "holdAnswer":
                await self._hold(state)
            while True:
                await asyncio.wait({piece, watch}, return_when=asyncio.FIRST_COMPLETED)
                if watch.done():
                    return
                data = piece.result()
                if not data:
                    return stream.end()
                *events, rest = (rest + data).split(b"\n\n")
                is_ready = any([self._note(request, event.decode()) for event in events])
                if left is not None:
                    data, left = data[:left], left - len(data)
                piece = asyncio.ensure_future(response.piece())
                self.moved += 1
                await stream.send(data)
                if is_ready:
                    self._rest(state)
                if left is not None and left <= 0:
                    await writer.drain()
                    return stream.cut()
        except LOST:
            stream.cut()
        finally:
            piece.cancel()
            await asyncio.gather(piece, return_exceptions=True)
            self.streams.remove(stream)

    def _note(self, request, text):
        """Keeps an event of the server, and tells whether it is `ready`."""
        fields = dict(line.split(": ", 1) for line in text.split("\n") if not line.startswith(":") and ": " in line)
        if "data" in fields:
            self.trace.add("event", id=request.id, type=fields.get("event", "message"), eventId=fields.get("id"), data=fields["data"])
        return fields.get("event") == "ready"
