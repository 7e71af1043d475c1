"""HTTP/1.1 over asyncio streams, as little of it as the kit needs: one exchange on each connection."""
import asyncio
import json
import urllib.parse

LIMIT = 1 << 20  # bytes of a head


class Response:
    """The head of an answer, and its body piece by piece."""

    def __init__(self, status, headers, reader, writer):
        self.status, self.headers = status, headers
        self._reader, self._writer = reader, writer
        self._left = int(headers["content-length"]) if "content-length" in headers else None
        self._is_chunked = headers.get("transfer-encoding", "").lower() == "chunked"
        if status in (204, 304):
            self._left, self._is_chunked = 0, False

    async def piece(self):
        """Some bytes of the body, or none at its end. An early end is an error."""
        if self._is_chunked:
            return await self._chunk()
        if self._left == 0:
            return b""
        data = await self._reader.read(65536 if self._left is None else min(65536, self._left))
        if self._left is not None:
            if not data:
                raise ConnectionResetError("the body is cut")
            self._left -= len(data)
        return data

    async def _chunk(self):
        line = await self._reader.readline()
        if not line.endswith(b"\n"):
            raise ConnectionResetError("the body is cut")
        size = int(line.split(b";")[0], 16)
        data = await self._reader.readexactly(size)
        await self._reader.readline()
        if size == 0:
            self._is_chunked, self._left = False, 0
        return data

    async def read(self):
        pieces = []
        while piece := await self.piece():
            pieces.append(piece)
        return b"".join(pieces)

    async def json(self):
        return json.loads(await self.read())

    def close(self):
        self._writer.close()


async def read_head(reader, begun=b""):
    """The first line and the fields of a message, their names in lower case; nothing if the peer has closed."""
    first = begun + await reader.readline()
    if not first:
        return None
    lines = [first]
    while lines[-1].strip():
        lines.append(await reader.readline())
        if not lines[-1].endswith(b"\n"):
            raise ConnectionResetError("the head is cut")
    texts = [line.decode("latin-1").strip() for line in lines[:-1]]
    pairs = [text.partition(":") for text in texts[1:]]
    return texts[0], {name.lower(): value.strip() for name, _, value in pairs}


async def exchange(address, method, target, headers=None, body=None):
    """Sends a request, and returns its response as soon as its head is there."""
    reader, writer = await asyncio.open_connection(*address, limit=LIMIT)
    try:
        fields = {"Host": f"{address[0]}:{address[1]}", "Connection": "close"} | (headers or {})
        if body is not None:
            fields["Content-Length"] = str(len(body))
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        writer.write("\r\n".join(lines).encode() + (body or b""))
        head = await read_head(reader)
        if not head:
            raise ConnectionResetError("there is no answer")
        return Response(int(head[0].split()[1]), head[1], reader, writer)
    except BaseException:
        writer.close()
        raise


async def ask(address, method, target, value=None, headers=None):
    """The status and the parsed body of a request with a JSON value."""
    body = None if value is None else json.dumps(value).encode()
    fields = ({} if value is None else {"Content-Type": "application/json"}) | (headers or {})
    response = await exchange(address, method, target, fields, body)
    try:
        text = await response.read()
        return response.status, json.loads(text) if text else None
    finally:
        response.close()


def split_url(url):
    """The address and the path of a URL."""
    parts = urllib.parse.urlsplit(url)
    return (parts.hostname, parts.port), parts.path
