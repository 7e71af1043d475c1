"""The inspector page in a browser, and another client of its server."""

import json
import ssl
import time
import urllib.error
import urllib.request

from devtools import PATIENCE, Failure, find


class Page:
    """One tab with the page, which each test opens with a session of its own."""

    def __init__(self, browser, url):
        self.browser, self.url = browser, url

    # ---- Another client

    def send(self, method, path, body=None, headers={}):
        content = {"Content-Type": "application/json"} if body is not None else {}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {**content, **headers}, method=method)
        trusting = ssl._create_unverified_context() if self.url.startswith("https:") else None
        with urllib.request.urlopen(request, timeout=PATIENCE, context=trusting) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def get(self, path):
        return self.send("GET", path)

    def status(self, method, path, body=None):
        try:
            self.send(method, path, body)
            return 200
        except urllib.error.HTTPError as error:
            return error.code

    def session(self, store="app", actions=()):
        """Creates a session, and sends actions to it."""
        path = "/sessions/" + self.send("POST", "/sessions", {"store": store})["id"]
        for begin in range(0, len(actions), 100):
            self.send("POST", path + "/actions?select=/-", list(actions[begin:begin + 100]))
        return path

    def act(self, path, type, **payload):
        return self.send("POST", path + "/actions", {"type": type, "payload": payload})

    # ---- The page

    def open(self, path="", rest=""):
        """Shows a session, or the first page without one, in a document of its own."""
        fragment = "#" + path.removeprefix("/sessions/") + rest if path else ""
        self.browser.ask("Page.navigate", url="about:blank")
        self.until("the page before is left", "location.href", lambda href: href == "about:blank")
        self.browser.ask("Page.navigate", url=self.url + "/" + fragment)
        if path:
            self.shows("the session opens", "live", "live|ended")
            self.until("and its state is there", "document.querySelector('[role=treeitem], #panel pre') !== null")
            self.until("and its log", f"document.querySelector('#rows .row') !== null || {find('news')}.textContent !== ''")
        else:
            self.until("the first page opens", "document.querySelector('#start .card, #enter') !== null")

    def run(self, script):
        return self.browser.run(script)

    def until(self, what, script, wanted=lambda value: value):
        return self.browser.until(what, script, wanted)

    def shows(self, what, element, pattern):
        self.browser.shows(what, element, pattern)

    def click(self, element):
        self.browser.click(element)

    def type(self, element, text):
        self.browser.type(element, text)

    def press(self, key, modifiers=0):
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, " ": 32}
        self.browser.press(key, codes.get(key, ord(key.upper()) if len(key) == 1 else 0), modifiers)

    def button(self, label, within="document"):
        """Clicks a button by its words."""
        self.until(f"there is the button {label!r}", f"!!{self.by_words(label, within)}")
        self.run(f"{self.by_words(label, within)}.click()")

    def by_words(self, label, within="document"):
        return f"[...{within}.querySelectorAll('button')].find(one => one.textContent.startsWith({json.dumps(label)}))"

    def choose_type(self, action):
        self.until(f"{action} can be chosen", f"[...{find('types')}.options].some(one => one.value === '{action}')")
        self.run(f"{find('types')}.value = '{action}'; {find('types')}.dispatchEvent(new Event('change'))")

    def fill(self, pointer, value):
        """Types into the field of the form at a pointer."""
        field = f"document.querySelector('#form [data-pointer=\"{pointer}\"]')"
        self.until(f"there is a field for {pointer}", f"!!{field}")
        self.run(f"{field}.focus(); {field}.value = ''; {field}.dispatchEvent(new Event('input'))")
        if value:
            self.browser.ask("Input.insertText", text=value)

    def row(self, words):
        return f"[...document.querySelectorAll('#rows .row')].find(row => row.textContent.includes({json.dumps(words)}))"

    def pick(self, words):
        """Clicks a row of the log."""
        self.until(f"the log has {words!r}", f"!!{self.row(words)}")
        self.run(f"{self.row(words)}.click()")

    def rows(self):
        return self.run("[...document.querySelectorAll('#rows .row')].sort((a, b) => b.at - a.at).map(row => row.textContent)")

    def requests(self):
        return [event["request"] for event in self.browser.happened("Network.requestWillBeSent")]

    def await_equal(self, what, read, wanted):
        end = time.monotonic() + PATIENCE
        while (value := read()) != wanted:
            if time.monotonic() > end:
                raise Failure(f"{what}: {value!r} and not {wanted!r}")
            time.sleep(0.02)
        print(f"    ok: {what}", flush=True)

    def expect(self, what, holds, value=None):
        if not holds:
            raise Failure(f"{what}: {value!r}")
        print(f"    ok: {what}", flush=True)

    def copied(self, label):
        """What an item of the menu Copy puts into the clipboard."""
        self.run("window.copied = null; navigator.clipboard ?? Object.defineProperty(navigator, 'clipboard', {value: {}});"
                 " navigator.clipboard.writeText = async text => void (window.copied = text)")
        self.click("copy")
        self.button(label, "document.querySelector('.menu')")
        return self.until(f"it copies {label}", "window.copied")
