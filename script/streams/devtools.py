"""One tab of a headless browser, told what to do over a pipe by the DevTools protocol."""

import base64
import itertools
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

PATIENCE = 60  # seconds, the longest wait for what comes at once where all is well
WATCH = "window.violations = []; addEventListener('securitypolicyviolation', e => violations.push(e.violatedDirective))"


class Failure(Exception):
    pass


class Browser:
    """One tab of a browser."""

    def __init__(self, chromium, folder):
        here_in, there_out = os.pipe()
        there_in, here_out = os.pipe()
        # The browser reads commands from descriptor 3, and writes answers and events to descriptor 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{there_in} 4>&{there_out}', "bash", chromium, "--headless", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-lcd-text", "--ignore-certificate-errors", "--remote-debugging-pipe",
             f"--user-data-dir={folder}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=sys.stderr, pass_fds=(there_in, there_out),
            start_new_session=True)
        os.close(there_in)
        os.close(there_out)
        self.commands = os.fdopen(here_out, "wb")
        self.answers, self.events, self.tab, self.numbers = {}, [], None, itertools.count(1)
        self.changed = threading.Condition()
        threading.Thread(target=self.read, args=(os.fdopen(here_in, "rb"),), daemon=True).start()

    def read(self, stream):
        rest = b""
        while part := stream.read1(1 << 20):
            *whole, rest = (rest + part).split(b"\0")
            for message in map(json.loads, whole):
                with self.changed:
                    if "id" in message:
                        self.answers[message["id"]] = message
                    else:
                        self.events.append(message)
                    self.changed.notify_all()
                if message.get("method") == "Fetch.requestPaused":
                    threading.Thread(target=self.replace, args=(message["params"],), daemon=True).start()

    def ask(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.tab:
            message["sessionId"] = self.tab
        with self.changed:
            self.commands.write(json.dumps(message).encode() + b"\0")
            self.commands.flush()
            if not self.changed.wait_for(lambda: number in self.answers, PATIENCE):
                raise Failure(f"the browser does not answer {method}")
            answer = self.answers.pop(number)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, url):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.tab = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        self.ask("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        if "INSPECTOR_PAGE" in os.environ:
            self.ask("Fetch.enable", patterns=[{"urlPattern": "*://*/", "resourceType": "Document", "requestStage": "Response"}])
        self.ask("Page.navigate", url=url)

    def replace(self, paused):
        """Gives the page's files of the folder INSPECTOR_PAGE as the answer of the server, which then needs no new build."""
        folder = Path(os.environ["INSPECTOR_PAGE"])
        headers = [one for one in paused["responseHeaders"] if not re.match("content-(length|encoding)", one["name"], re.I)]
        nonce = re.search("'nonce-(.*?)'", json.dumps(headers))[1]
        page = (folder / "inspector.html").read_text().replace("{nonce}", nonce)
        for place, name in (("/* inspector.css */\n", "inspector.css"), ("// inspector.js\n", "inspector.js")):
            page = page.replace(place, (folder / name).read_text(), 1)
        self.ask("Fetch.fulfillRequest", requestId=paused["requestId"], responseCode=paused["responseStatusCode"],
                 responseHeaders=headers, body=base64.b64encode(page.encode()).decode())

    def run(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise Failure(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def press(self, key, code=0, modifiers=0):
        text = {"text": "\r"} if key == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, modifiers=modifiers, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def type(self, element, text):
        self.run(f"{find(element)}.focus(); {find(element)}.select?.()")
        self.ask("Input.insertText", text=text)

    def click(self, element):
        self.run(f"{find(element)}.click()")

    def resize(self, width, height, mobile=False):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def dress(self, scheme):
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self):
        """A PNG of what the tab shows."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def until(self, what, script, wanted=lambda value: value):
        """Waits until the value of the script is as wanted. A script that fails may find later what it needs."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if wanted(value := self.run(script)):
                    break
            except (Failure, TypeError) as failure:
                value = failure
            if time.monotonic() > end:
                raise Failure(f"{what}: {script[:300]} is {value!r}; the page says {self.run('document.body?.innerText')!r}")
            time.sleep(0.02)
        print(f"    ok: {what}", flush=True)
        return value

    def shows(self, what, element, pattern):
        self.until(what, f"{find(element)}.textContent", lambda value: re.search(pattern, value, re.DOTALL))

    def happened(self, method):
        with self.changed:
            return [event["params"] for event in self.events if event["method"] == method]

    def forget(self, prefix):
        """Forgets the events of a domain that have happened."""
        with self.changed:
            self.events = [event for event in self.events if not event["method"].startswith(prefix)]

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def find(selector):
    """An element, as an expression of the page. A name alone is an id."""
    if re.fullmatch(r"[a-z][\w-]*", selector):
        return f"document.getElementById({json.dumps(selector)})"
    return f"document.querySelector({json.dumps(selector)})"
