"""One tab of a headless browser, told what to do over a pipe by the DevTools protocol."""

import base64
import json
import os
import re
import subprocess
import sys
import threading
import time

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
        self.answers, self.events, self.tab, self.number = {}, [], None, 0
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

    def ask(self, method, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if self.tab:
            message["sessionId"] = self.tab
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        with self.changed:
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
        self.ask("Page.navigate", url=url)

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
