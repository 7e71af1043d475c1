"""A small HTTP/1.1 client on asyncio, with event streams and JSON Patch."""

import asyncio
import copy
import json


class Lost(Exception):
    """No whole answer came: the connection broke, or the client had no patience left. The outcome of a write is unknown."""


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def code(self):
        return self.body.get("code") if isinstance(self.body, dict) else None

    @property
    def history(self):
        """The part of the ETag that changes when commits were lost."""
        return self.headers.get("etag", "").strip('"').partition(".")[2]

    def __str__(self):
        return f"{self.status} {json.dumps(self.body)[:300]} (X-Request-Id {self.headers.get('x-request-id')})"


class Connection:
    """A connection for one request at a time. After `Lost` it is closed."""

    def __init__(self, port):
        self.port, self.reader, self.writer = port, None, None

    async def send(self, method, path, body=None, headers=None):
        """Sends a request, and returns the status and the headers of the response."""
        if not self.writer:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 24)
        payload = b"" if body is None else json.dumps(body).encode()
        fields = {"Host": f"127.0.0.1:{self.port}"} | (headers or {})
        if body is not None:
            fields |= {"Content-Type": "application/json", "Content-Length": str(len(payload))}
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.writer.write(head.encode() + b"\r\n" + payload)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        pairs = (line.partition(":") for line in lines[1:] if line)
        return int(lines[0].split()[1]), {name.lower(): value.strip() for name, _, value in pairs}

    async def _read_body(self, headers):
        if headers.get("transfer-encoding") == "chunked":
            return b"".join([chunk async for chunk in self.chunks()])
        return await self.reader.readexactly(int(headers.get("content-length", 0)))

    async def chunks(self):
        while size := int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16):
            yield (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readuntil(b"\r\n")

    async def ask(self, method, path, body=None, headers=None, patience=15):
        """The whole response to a request."""
        async def exchange():
            status, fields = await self.send(method, path, body, headers)
            text = b"" if status in (204, 304) else await self._read_body(fields)
            if fields.get("connection") == "close":
                self.close()
            return Answer(status, fields, json.loads(text) if text else None)
        try:
            return await asyncio.wait_for(exchange(), patience)
        except (OSError, EOFError, asyncio.TimeoutError, asyncio.LimitOverrunError) as error:
            self.close()
            raise Lost(repr(error)) from None
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.writer:
            self.writer.transport.abort()
        self.reader = self.writer = None


async def ask(port, method, path, body=None, headers=None, patience=15):
    """The response to a request on a connection of its own."""
    connection = Connection(port)
    try:
        return await connection.ask(method, path, body, headers, patience)
    finally:
        connection.close()


async def events(connection, silence):
    """The events of a stream whose head has been read, as (name, id, data). Raises Lost after so many seconds of silence."""
    buffer, name, number, data = b"", None, None, None
    chunks = connection.chunks()
    while True:
        try:
            buffer += await asyncio.wait_for(anext(chunks), silence)
        except StopAsyncIteration:
            return
        except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
            raise Lost(repr(error)) from None
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            field, _, value = line.decode().partition(": ")
            if field == "event":
                name = value
            elif field == "id":
                number = value
            elif field == "data":
                data = json.loads(value)
            elif not line and data is not None:
                yield name, number, data
                name = number = data = None


async def end_tasks(tasks):
    """Cancels tasks until they have ended: `asyncio.wait_for` of Python 3.11 loses a cancellation that comes together with its result."""
    while tasks:
        for task in tasks:
            task.cancel()
        _, tasks = await asyncio.wait(tasks, timeout=1)


def patched(document, operations):
    """A document after a JSON Patch of the operations that streams use. Raises ValueError if one does not apply."""
    document = copy.deepcopy(document)
    for operation in operations:
        path = _tokens(operation["path"])
        if operation["op"] == "move":
            value = _remove(document, _tokens(operation["from"]))
        elif operation["op"] == "remove":
            _remove(document, path)
            continue
        else:
            value = operation["value"]
        if not path:
            document = value
            continue
        if operation["op"] == "replace":
            _remove(document, path)
        parent, last = _parent(document, path)
        if isinstance(parent, list):
            parent.insert(len(parent) if last == "-" else int(last), value)
        else:
            parent[last] = value
    return document


def _tokens(pointer):
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def _parent(document, path):
    try:
        for token in path[:-1]:
            document = document[int(token) if isinstance(document, list) else token]
        return document, path[-1]
    except (LookupError, TypeError) as error:
        raise ValueError(f"nothing at /{'/'.join(path)}") from error


def _remove(document, path):
    parent, last = _parent(document, path)
    try:
        return parent.pop(int(last) if isinstance(parent, list) else last)
    except (LookupError, TypeError) as error:
        raise ValueError(f"nothing at /{'/'.join(path)}") from error
