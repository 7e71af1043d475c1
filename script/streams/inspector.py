"""The inspector page in a browser: inspector.py CHROMIUM URL FOLDER

Uses the page at URL as a developer does, in a headless browser with its files in FOLDER, and ends with status 1 at the
first thing that is not as it should be. The browser is told what to do over a pipe, by the DevTools protocol.
"""

import json
import os
import re
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

PATIENCE = 60  # seconds, the longest wait for what comes at once where all is well
HOSTILE = "<img src=x onerror=\"window.ran = 1\"><script>window.ran = 1</script>"
PASSWORD = "some secret password"
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
             "--disable-component-update", "--ignore-certificate-errors", "--remote-debugging-pipe",
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
        self.run(f"{at(element)}.focus(); {at(element)}.select()")
        self.ask("Input.insertText", text=text)

    def happened(self, method):
        with self.changed:
            return [event["params"] for event in self.events if event["method"] == method]

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def at(element):
    return f"document.getElementById('{element}')"


def text(element):
    return at(element) + ".textContent"


def until(what, script, wanted=lambda value: value):
    """Waits until the value of the script is as wanted. A script that fails may find later what it needs."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            if wanted(value := browser.run(script)):
                break
        except (Failure, TypeError) as failure:
            value = failure
        if time.monotonic() > end:
            raise Failure(f"{what}: {script} is {value!r}; the page says {browser.run('document.body?.innerText')!r}")
        time.sleep(0.02)
    print(f"    ok: {what}", flush=True)


def shows(what, element, pattern):
    until(what, text(element), lambda value: re.search(pattern, value))


def choose(action):
    browser.run(f"{at('types')}.value = '{action}'; {at('types')}.dispatchEvent(new Event('change'))")


def until_equal(what, read, wanted):
    end = time.monotonic() + PATIENCE
    while (value := read()) != wanted:
        if time.monotonic() > end:
            raise Failure(f"{what}: {value!r} and not {wanted!r}")
        time.sleep(0.02)
    print(f"    ok: {what}", flush=True)


def get(path):
    return send(urllib.request.Request(url + path))


def post(path, body):
    """Another client."""
    return send(urllib.request.Request(url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}))


def send(request):
    trusting = ssl._create_unverified_context() if url.startswith("https:") else None
    with urllib.request.urlopen(request, timeout=PATIENCE, context=trusting) as answer:
        return json.load(answer)


def check_session():
    until("the page loads", f"location.href === '{url}/' && document.readyState === 'complete'")
    until("it begins with the store kinds and what they are",
          f"!{at('start')}.hidden && {at('offers')}.querySelectorAll('button').length === {at('kinds')}.options.length")
    until("and offers them to the keyboard", f"{at('kinds')}.options.length > 1 && document.hasFocus()")
    browser.run(f"{at('kinds')}.focus()")
    browser.press("Tab", 9)
    browser.press("Enter", 13)
    until("a session is created by keys alone, its id in the fragment", "/^#[\\w-]{22}$/.test(location.hash)")
    shows("it is watched live", "status", "^live$")
    shows("and its state is shown", "revision", "at revision 0, now")
    return "/sessions/" + browser.run("location.hash.slice(1)")


def check_sending():
    choose("counter/increment")
    shows("an action is explained", "summary", "Adds to the count")
    until("and prefilled", f"JSON.parse({at('action')}.value).type", lambda value: value == "counter/increment")
    browser.type("action", '{"type":"counter/increment","payload":{"by":5}}')
    browser.press("Enter", 13, modifiers=2)
    shows("Ctrl+Enter sends it", "answer", "committed, revision 1")
    shows("what it changed is told", "changes", "^/counter/count: 0 → 5$")
    until("and marked", "document.querySelector('#tree .leaf.changed').textContent", lambda value: value == "count: 5")
    shows("the log has it", "log", "1 counter/increment client")
    browser.run("document.querySelector('#send button[value=dry]').click()")
    shows("a dry run shows the patch", "answer", '"path":"/counter/count","value":10')
    browser.type("action", '{"type":"counter/increment","payload":{"by":"two"}}')
    browser.run(f"{at('send')}.requestSubmit()")
    shows("a refusal is told with its place", "refusal", "422 invalid-payload.*/payload/by must be")
    browser.type("action", '{"type":"counter/increment"')
    browser.run(f"{at('send')}.requestSubmit()")
    shows("what is no JSON is told", "refusal", "400 malformed-json")
    choose("login/enteringCredential")
    until("a secret has a field that masks it", "document.querySelector('#secrets input')?.type === 'password'")
    browser.type("action", json.dumps({"type": "login/enteringCredential"}))
    browser.run("document.querySelector('#secrets input').focus()")
    browser.ask("Input.insertText", text=PASSWORD)
    browser.run(f"{at('send')}.requestSubmit()")
    shows("a password is masked in the log", "log", r'2 login/enteringCredential.*"password":"\*\*\*"')
    until("and gone from the page", f"!{at('action')}.value.includes('{PASSWORD}')"
          f" && !document.body.textContent.includes('{PASSWORD}')"
          " && document.querySelector('#secrets input').value === ''")


def check_watching(session):
    post(session + "/actions", {"type": "tasks/add", "payload": {"title": HOSTILE}})
    shows("another client's action comes by itself", "revision", "at revision 3, now")
    shows("hostile text is text in the tree", "tree", re.escape(json.dumps(HOSTILE)))
    shows("and in the log", "log", re.escape(json.dumps(HOSTILE)))
    until("and no element", "window.ran === undefined && document.querySelectorAll('img, main script').length === 0")
    post(session + "/actions", {"type": "animal/fetchAnimal"})
    shows("an effect is told", "effects", r"animal\.fetch succeeded because of 4")
    shows("and the action that it brings", "log", "5 animal/setCurrentAnimal effect, because of 4")


def check_travelling(session):
    browser.run("[...document.querySelectorAll('#log button')].find(b => b.textContent.startsWith('2')).focus()")
    browser.press("ArrowDown", 40)
    shows("the log leads to an earlier revision", "revision", "at revision 1, in the past")
    shows("with what it changed", "changes", "^/counter/count: 0 → 5$")
    until("which is marked in the log", "document.querySelector('#log [aria-current=true] b').textContent === '1'")
    post(session + "/actions", {"type": "counter/increment"})
    shows("while the log goes on", "log", "6 counter/increment")
    shows("the past stays", "revision", "at revision 1, in the past")
    browser.run(f"{at('now')}.click()")
    shows("'now' goes back", "revision", "at revision 6, now")
    browser.run("[...document.querySelectorAll('#log button')].find(b => b.textContent.startsWith('1')).click()")
    shows("in the past", "revision", "at revision 1, in the past")
    browser.run(f"{at('fork')}.click()")
    shows("a fork begins there", "about", "forked from revision 1")
    shows("as a session of its own", "revision", "at revision 0, now")
    until("with that state", "document.querySelector('#tree').textContent.includes('count: 5')")
    browser.type("id", f"curl -N {url}{session}/events")
    browser.press("Enter", 13)
    until("an address with an id opens its session", "location.hash.slice(1)", lambda id: id == session.split("/")[-1])
    shows("as it is", "revision", "at revision 6, now")


def check_leaving(session):
    def subscribers():
        return get(session)["subscribers"]

    browser.run("dispatchEvent(new PageTransitionEvent('pagehide'))")
    until_equal("a page that is left follows nothing", subscribers, 0)
    for _ in range(20):
        post(session + "/actions", {"type": "counter/increment"})
    browser.run("dispatchEvent(new PageTransitionEvent('pageshow'))")
    shows("a page that is shown again goes on where it was", "revision", "at revision 26, now")
    until_equal("with one stream", subscribers, 1)


def check_shares():
    browser.type("part", "/counter")
    browser.type("label", "front desk")
    browser.type("guest", "17")
    browser.run(f"{at('share')}.requestSubmit()")
    shows("a share is made", "shared", "state: http.*events: http")
    shows("and listed", "shares", "front desk · guest .17. · read · /counter · until")
    browser.run("document.querySelector('#shares button').click()")
    shows("it is revoked alone", "shares", "There are no shares")
    browser.run(f"{at('share')}.requestSubmit()")
    shows("another one is made", "shares", "front desk · guest .17. · read · /counter · until")
    state = browser.run("document.querySelector('#shared code').textContent").removeprefix(url)
    until_equal("which shows its part", lambda: get(state)["state"], {"count": 26})
    browser.run(f"{at('revoke')}.click()")
    shows("all shares are revoked", "shared", "revoked")
    try:
        get(state)
    except urllib.error.HTTPError as error:
        print(f"    ok: and this one is unknown then: {error.code}", flush=True)
    else:
        raise Failure("a share works after it was revoked")


def check_looks():
    browser.ask("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    until("on a phone nothing is cut off", "document.documentElement.scrollWidth <= 390")
    background = "getComputedStyle(document.body).backgroundColor"
    light = browser.run(background)
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    until("there is a dark dress", background, lambda value: value != light)
    nameless = "[...document.querySelectorAll('select, input, textarea')].filter(field => !field.labels.length).length"
    until("every field has a label", nameless, lambda count: count == 0)


def check_end():
    browser.run(f"setTimeout(() => {at('delete')}.click())")
    end = time.monotonic() + PATIENCE
    while not browser.happened("Page.javascriptDialogOpening"):
        if time.monotonic() > end:
            raise Failure("nobody is asked before a session is deleted")
        time.sleep(0.02)
    browser.ask("Page.handleJavaScriptDialog", accept=True)
    shows("a session is deleted, once that was confirmed", "status", "session-ended")
    until("and nothing more can be done with it", "[...document.querySelectorAll('main :is(button, select, textarea)')]"
          ".every(control => control.disabled)")


def check_policy():
    until("no problem was left", text("problem"), lambda problem: problem == "")
    until("the policy was not violated", "violations.length", lambda count: count == 0)
    for event in browser.happened("Log.entryAdded"):
        if event["entry"]["source"] != "network":  # where refusals show, which are wanted
            raise Failure(f"the browser complains: {event['entry']}")
    if faults := browser.happened("Runtime.exceptionThrown"):
        raise Failure(f"the script has failed: {faults}")
    asked = [event["request"]["url"] for event in browser.happened("Network.requestWillBeSent")]
    if strange := [one for one in asked if not one.startswith((url + "/", "data:"))]:
        raise Failure(f"the page asks others: {strange}")
    print(f"    ok: no fault in the script, and {len(asked)} requests to this server only", flush=True)
    browser.run("try { document.body.innerHTML = '<img src=x>' } catch { }")
    until("markup cannot be made of text, which would be seen", "violations.length", lambda count: count == 1)


chromium, url, folder = sys.argv[1:]
browser = Browser(chromium, folder)
try:
    browser.open(url + "/")
    path = check_session()
    check_sending()
    check_watching(path)
    check_travelling(path)
    check_leaving(path)
    check_shares()
    check_looks()
    check_end()
    check_policy()
except Failure as failure:
    sys.exit(f"the inspector: {failure}")
finally:
    browser.end()
