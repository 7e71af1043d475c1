"""A browser with a page that watches event streams: browser.py BROWSER PAGE-PORT RELAY-PORT SERVER-PORT FOLDER

BROWSER is chromium or firefox-esr.

It runs headless, with its files in FOLDER. The page is served at PAGE-PORT, so streams are of another origin. What
comes to RELAY-PORT is passed on to SERVER-PORT; requests are seen there, and connections can be cut. Commands are lines
of standard input:

    watch URL    the page opens an EventSource
    leave        the page closes all that it has opened
    cut          breaks every connection of the relay

and reports what happens in lines on standard output:

    request: METHOD LAST-EVENT-ID    passed the relay; - where there is no Last-Event-ID
    open:                            an EventSource has opened
    state: ID DATA                   a `state` event has come; `heartbeat: ID DATA` and `closed: DATA` likewise
    error: connecting                an EventSource has lost its stream, and tries again; `error: closed`: it does not
"""

import os
import queue
import re
import signal
import socket
import socketserver
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGE = b"""<!doctype html>
<title>streams</title>
<script>
let told = Promise.resolve(), sources = []
function tell(line) {
    told = told.then(() => fetch("/told", { method: "POST", body: line }))
}
function watch(url) {
    const source = new EventSource(url)
    source.onopen = () => tell("open:")
    source.onerror = () => tell("error: " + ["connecting", "open", "closed"][source.readyState])
    source.onmessage = () => tell("message: an event without a name")
    source.addEventListener("state", event => tell(`state: ${event.lastEventId} ${event.data}`))
    source.addEventListener("heartbeat", event => tell(`heartbeat: ${event.lastEventId} ${event.data}`))
    source.addEventListener("closed", event => tell(`closed: ${event.data}`))
    sources.push(source)
}
function leave() {
    for (const source of sources) source.close()
    sources = []
}
async function obey() {
    for (;;) {
        const [word, url] = (await (await fetch("/next")).text()).split(" ")
        word === "watch" ? watch(url) : leave()
    }
}
obey()
</script>
"""

commands = queue.Queue()
printing = threading.Lock()
relayed = set()


def tell(line):
    with printing:
        print(line, flush=True)


class Page(BaseHTTPRequestHandler):
    """Serves the page, hands it the next command, and takes what it tells."""

    protocol_version = "HTTP/1.1"

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(commands.get().encode() if self.path == "/next" else PAGE if self.path == "/" else b"")

    def do_POST(self):
        tell(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.answer(b"")

    def log_message(self, *_):
        pass


class Relay(socketserver.BaseRequestHandler):
    """Passes bytes on in both directions, until one side ends."""

    def handle(self):
        try:
            server = socket.create_connection(("127.0.0.1", server_port))
        except OSError:
            return
        relayed.add(self.request)
        answers = threading.Thread(target=self.pass_on, args=(server, self.request), daemon=True)
        answers.start()
        self.pass_on(self.request, server, self.tell_request)
        answers.join()
        relayed.discard(self.request)

    @staticmethod
    def tell_request(head):
        seen = re.search(rb"\r\nlast-event-id: *([^\r]*)", head, re.IGNORECASE)
        tell(f"request: {head.split(b' ')[0].decode()} {seen[1].decode() if seen else '-'}")

    @staticmethod
    def pass_on(source, target, look=None):
        try:
            while part := source.recv(65536):
                if look:
                    look(part)
                target.sendall(part)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Threaded(socketserver.ThreadingTCPServer):
    daemon_threads = allow_reuse_address = True


def cut():
    for connection in list(relayed):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()


def options(browser, folder):
    if "firefox" in browser:
        os.makedirs(folder, exist_ok=True)
        return ["--headless", "--no-remote", "--profile", folder]
    return ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--ignore-certificate-errors",
            f"--user-data-dir={folder}"]


browser, folder = sys.argv[1], sys.argv[5]
page_port, relay_port, server_port = map(int, sys.argv[2:5])
ThreadingHTTPServer.daemon_threads = True
serve(ThreadingHTTPServer(("127.0.0.1", page_port), Page))
serve(Threaded(("127.0.0.1", relay_port), Relay))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
process = subprocess.Popen(
    [browser, *options(browser, folder), f"http://127.0.0.1:{page_port}/"],
    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=sys.stderr, start_new_session=True)
try:
    for line in sys.stdin:
        command = line.strip()
        cut() if command == "cut" else commands.put(command)
finally:
    process.terminate()
    process.wait(10)
