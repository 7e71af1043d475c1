"""A server with SQLite storage, and its log."""

import atexit
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = str(ROOT / ".build/release/storehouse")
SECONDS = 60  # the timeout for everything that normally happens at once


def require_program(program):
    if not os.access(program, os.X_OK):
        sys.exit(f"error: {program} does not exist; build it: swift build -c release --static-swift-stdlib")


class StartFailed(Exception):
    """The server did not start: its exit status and its log."""

    def __init__(self, status, words):
        super().__init__(f"the server ended with status {status}: {words}")
        self.status, self.words = status, words


running = set()


@atexit.register
def end_all():
    for server in list(running):
        server.end(signal.SIGKILL)


class Server:
    """A server that is listening. The initializer raises StartFailed if it ends before."""

    def __init__(self, program, file, under=(), **settings):
        """`under` is a command that runs the server; `settings` are configuration keys, such as storage_durability="relaxed"."""
        settings = {f"STOREHOUSE_{name.upper()}": str(value) for name, value in settings.items()}
        environment = dict(
            os.environ, STOREHOUSE_STORAGE_KIND="sqlite", STOREHOUSE_STORAGE_PATH=str(file), STOREHOUSE_HTTP_PORT="0")
        self.file, self.words, self.port = pathlib.Path(file), [], None
        self.process = subprocess.Popen(
            [*under, program, "serve"], cwd=self.file.parent, env=environment | settings, stderr=subprocess.PIPE, text=True,
            errors="replace")
        # The server is a child process of `under`.
        self.is_child = bool(under)
        # While it is cleared, nobody reads the server's log.
        self.reads_log = threading.Event()
        self.reads_log.set()
        running.add(self)
        for line in self.process.stderr:
            self.words.append(line.rstrip())
            found = re.search(r"listening on http://[^:]+:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                break
        if self.port is None:
            running.discard(self)
            raise StartFailed(self.process.wait(), " ".join(self.words))
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stderr:
            self.words.append(line.rstrip())
            self.reads_log.wait()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)

    def answer(self, connection, method, path, body=None, headers=None):
        """The status, the body and the headers of the response."""
        body = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        connection.request(method, path, body, {"Content-Type": "application/json"} | (headers or {}))
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null"), answer.headers

    def call(self, connection, method, path, body=None):
        """The status and the body of the response."""
        return self.answer(connection, method, path, body)[:2]

    def first_event(self, session, seen=None):
        """The id and the data of a stream's first event, for a client whose last event id is `seen`."""
        return self.events_until(None, f"/sessions/{session}/events", seen)[0][1:]

    def events_until(self, last, path, seen=None):
        """The events of a stream, as (name, id, data), up to the first that is called `last`; only one for None."""
        connection, found, fields = self.connect(), [], {}
        connection.request("GET", path, headers={"Last-Event-ID": seen} if seen else {})
        for line in connection.getresponse():
            name, _, value = line.decode().rstrip("\n").partition(": ")
            fields[name] = value
            if not value and "data" in fields:
                found.append((fields.get("event"), fields.get("id"), json.loads(fields["data"])))
                fields = {}
                if last in (None, found[-1][0]):
                    connection.close()
                    return found
        raise http.client.HTTPException("the stream ended")

    def signal(self, number):
        process = self.process.pid
        if self.is_child:
            with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as children:
                process = int(children.read().split()[0])
        os.kill(process, number)

    def end(self, number):
        """Ends the server by a signal, and returns its exit status."""
        try:
            self.signal(number)
        except (OSError, IndexError, ProcessLookupError):
            pass  # it has ended already
        running.discard(self)
        return self.process.wait()
