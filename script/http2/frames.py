"""A client of HTTP/2 that can send any frame, right or wrong (RFC 9113, section 4)."""
import socket
import struct
import time

import hpack

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITIZED = 0x1, 0x1, 0x4, 0x8, 0x20
NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED, FRAME_SIZE_ERROR, REFUSED_STREAM, \
    CANCEL, COMPRESSION_ERROR, CONNECT_ERROR, ENHANCE_YOUR_CALM = range(12)
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SECONDS = 60  # the longest wait for what comes at once where all is well, also on a busy machine


class Ended(Exception):
    """The server has closed the connection: the code of its GOAWAY, or None."""

    def __init__(self, code):
        super().__init__(f"GOAWAY {code}")
        self.code = code


class Frame:
    def __init__(self, type, flags, stream, payload):
        self.type, self.flags, self.stream, self.payload = type, flags, stream, payload

    def __repr__(self):
        return f"frame {self.type} {self.flags:#x} of {self.stream}: {self.payload[:40]!r}"


class Response:
    """What came of a request: its fields, its body, and the code of its RST_STREAM."""

    def __init__(self):
        self.fields, self.body, self.reset, self.is_over, self.early = {}, b"", None, False, []

    @property
    def status(self):
        return int(self.fields.get(":status", 0))


class Client:
    def __init__(self, server, preface=PREFACE, settings=b"", begins=True):
        if isinstance(server, str):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(server)
        else:
            self.socket = socket.create_connection(("127.0.0.1", server))
            # A frame does not wait until the one before is acknowledged.
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(SECONDS)
        self.input, self.goaway, self.responses, self.next = b"", None, {}, 1
        self.encoder, self.decoder = hpack.Encoder(), hpack.Decoder()
        self.decoder.max_allowed_table_size = 4096
        self.settings, self.pongs, self.acks = {}, [], 0
        self.opens_windows = True
        if begins:
            self.write(preface + frame(SETTINGS, 0, 0, settings))

    def close(self):
        self.socket.close()

    def write(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # the server says why before it closes, and that is read

    def send(self, type, flags=0, stream=0, payload=b""):
        self.write(frame(type, flags, stream, payload))

    # ---- Requests

    def head(self, method="GET", path="/healthz", fields=(), authority="localhost", scheme="http", **more):
        pseudo = [(":method", method), (":path", path), (":authority", authority), (":scheme", scheme)]
        return [(name, more.get(name[1:], value)) for name, value in pseudo if value is not None] + list(fields)

    def begin(self, fields, ends=True, stream=None, flags=END_HEADERS):
        """Sends HEADERS, and returns the number of the stream."""
        if stream is None:
            stream, self.next = self.next, self.next + 2
        self.responses[stream] = Response()
        self.send(HEADERS, flags | (END_STREAM if ends else 0), stream, self.encoder.encode(fields))
        return stream

    def get(self, path="/healthz", fields=(), **more):
        return self.response(self.begin(self.head("GET", path, fields, **more)))

    def post(self, path, body, fields=()):
        fields = [("content-type", "application/json"), *fields]
        stream = self.begin(self.head("POST", path, fields), ends=False)
        self.send(DATA, END_STREAM, stream, body)
        return self.response(stream)

    # ---- What comes

    def receive(self):
        """The next frame, after what every client does with it."""
        header = self.bytes(9)
        length, type, flags = int.from_bytes(header[:3], "big"), header[3], header[4]
        stream = int.from_bytes(header[5:], "big") & 0x7FFFFFFF
        got = Frame(type, flags, stream, self.bytes(length))
        if type == SETTINGS and not flags & ACK:
            for at in range(0, length, 6):
                name, value = struct.unpack(">HI", got.payload[at:at + 6])
                self.settings[name] = value
            self.send(SETTINGS, ACK)
        elif type == SETTINGS:
            self.acks += 1
        elif type == PING and flags & ACK:
            self.pongs.append(got.payload)
        elif type == GOAWAY:
            self.goaway = struct.unpack(">I", got.payload[4:8])[0]
        elif type == HEADERS:
            fields = dict(self.decoder.decode(got.payload))
            response = self.responses.setdefault(stream, Response())
            if fields.get(":status", "").startswith("1"):
                response.early.append(fields)
            else:
                response.fields.update(fields)
        elif type == DATA:
            self.responses.setdefault(stream, Response()).body += got.payload
            if length and self.opens_windows:
                update = struct.pack(">I", length)
                self.write(frame(WINDOW_UPDATE, 0, 0, update) + frame(WINDOW_UPDATE, 0, stream, update))
        elif type == RST_STREAM:
            response = self.responses.setdefault(stream, Response())
            response.reset, response.is_over = struct.unpack(">I", got.payload)[0], True
        if type in (HEADERS, DATA) and flags & END_STREAM:
            self.responses[stream].is_over = True
        return got

    def bytes(self, count):
        while len(self.input) < count:
            try:
                data = self.socket.recv(65536)
            except (ConnectionResetError, BrokenPipeError):
                data = b""
            if not data:
                raise Ended(self.goaway)
            self.input += data
        data, self.input = self.input[:count], self.input[count:]
        return data

    def response(self, stream):
        response = self.responses[stream]
        while not response.is_over:
            self.receive()
        return response

    def until(self, condition):
        end = time.monotonic() + SECONDS
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("it did not come")
            self.receive()

    def end(self):
        """Reads to the end, and returns the code of GOAWAY."""
        try:
            while True:
                self.receive()
        except Ended as ended:
            return ended.code

    def is_alive(self):
        """Whether it answers."""
        data = struct.pack(">Q", time.monotonic_ns() & (1 << 63) - 1)
        self.send(PING, 0, 0, data)
        self.until(lambda: data in self.pongs)
        return True


def frame(type, flags=0, stream=0, payload=b"", length=None):
    length = len(payload) if length is None else length
    return length.to_bytes(3, "big") + bytes([type, flags]) + stream.to_bytes(4, "big") + payload


def setting(name, value):
    return struct.pack(">HI", name, value)
