"""Sessions: beginning, finding, forking, sharing and ending them."""

import base64
import hashlib
import hmac
import json
import os
import time

from devtools import find
from inspector_log import add
from page import Page


def first_visit(page):
    page.open()
    page.until("each kind has a card", "document.querySelectorAll('#start .card').length > 3")
    page.until("which the keyboard reaches at once", "document.activeElement.matches('.card')")
    page.press("Enter")
    page.until("a session is created by keys alone, its id in the fragment", "/^#[\\w-]{22}$/.test(location.hash)")
    page.shows("it is watched live", "live", "^live")
    page.until("by one stream", f"[...{find('numbers')}.children].some(one => one.textContent === '1 stream')")
    page.until("its id stands nowhere on the page", "!document.body.innerText.includes(location.hash.slice(1))")
    page.until("and a state is shown", "document.querySelectorAll('[role=treeitem]').length > 3")
    page.shows("the empty log says what to do", "news", "No action yet. Send one")


def open_by_id_and_recent_sessions(page):
    path = page.session("app", add(2))
    page.open()
    page.type("id", f"curl -N {page.url}{path}/events")
    page.press("Enter")
    page.shows("an address with an id opens its session", "title", "#2 tasks/add")
    page.open()
    page.button("app " + page.get(path)["mark"])
    page.shows("it is in the list of this browser", "title", "#2 tasks/add")
    page.open()
    page.button("Do not remember")
    page.shows("the list can be switched off", "start", "They are not remembered")
    page.button("Remember")


def an_unknown_session_is_told(page):
    page.open(page.session("app", add(1)))
    page.run("location.hash = 'AAAAAAAAAAAAAAAAAAAAAA'")
    page.shows("it is told", "problem", "404 no-such-session")
    page.until("and the first page is there", "!!document.querySelector('#start .card')")
    page.click("#start .card")
    page.shows("where another one can begin", "live", "^live")
    page.until("without the problem", f"{find('problem')}.textContent === ''")


def switch_between_sessions(page):
    first, second = page.session("app", add(1)), page.session("planner")
    page.open(second)
    page.open(first)
    page.press("s")
    page.button("planner " + page.get(second)["mark"], "document.querySelector('dialog')")
    page.shows("the switcher opens another one", "chip", "^planner")


def fork_at_any_revision(page):
    path = page.session("app", [{"type": "counter/increment"}] * 5)
    page.open(path, "/at/3")
    page.click("fork")
    page.button("Fork at #3")
    page.shows("a fork opens", "chip", "^fork › app")
    page.shows("and says what it is", "panel", "A fork of app .* at its #3, which is #0 here")
    page.until("with the state that was forked", "document.getElementById('node/counter/count')?.textContent === 'count3'")


def fork_while_an_effect_runs(page):
    path = page.session("app", [{"type": "counter/increment"}, {"type": "animal/fetchAnimal"}])
    page.open(path, "/at/2")
    page.click("fork")
    page.button("Fork at #2")
    page.shows("the fork opens on the state that was forked", "title", "#0 the beginning")
    page.until("as it was", "document.getElementById('node/animal/currentAnimal')?.textContent.includes('Loading')")
    page.shows("and tells what became of the effect", "panel", r"It has gone on at once: what waited for an effect was interrupted")


def forks_of_a_bet(page):
    """Opens what can be forked at #1 of a session whose last action, #5, needs the balance of the first."""
    path = page.session("app", [{"type": "user/balanceIncrease", "payload": {"value": 1000}}, {"type": "counter/increment"},
                                {"type": "betslip/addSelection", "payload": {"id": "a", "event": "A", "outcome": "B", "odds": 250}},
                                {"type": "betslip/setStake", "payload": {"id": "a", "stake": 500}}, {"type": "betslip/placeBet"}])
    page.open(path, "/at/1")
    page.click("fork")
    return path


def fork_without_an_action(page):
    forks_of_a_bet(page)
    page.button("Without #1")
    page.shows("it is tried first: what would be committed", "layer", "3 of 4 later actions")
    page.shows("and what would be refused, with the reason", "layer", "#5 betslip/placeBet.*insufficient-balance")
    page.button("Fork without #1")
    page.shows("then both are side by side", "panel", r"Against app .* at #5")
    page.shows("with their differences", "panel", r"/betslip/placed/0|/betslip/placed")


def fork_with_an_edited_action(page):
    path = forks_of_a_bet(page)
    page.button("Edit #1", "document.querySelector('dialog')")
    page.until("the form has the action", "document.querySelector('#form [data-pointer=\"/value\"]').value === '1000'")
    page.shows("and says that it takes its place in a fork", "send", "^In the place of #1")
    page.shows("it is tried first: what would be committed", "preview", "5 of 5 later actions")
    page.fill("/value", "x")
    page.until("a wrong field is marked", "document.querySelector('#form [aria-invalid=true]') !== null")
    page.shows("with what is wrong", "form", "must be")
    page.click("as-json")
    page.type("json", '{"type":"user/balanceIncrease","payload":{"value":true}}')
    page.shows("in JSON too, as the server says it", "preview", "422 invalid-payload.*/value must be.*It would be refused")
    page.type("json", '{"type":"user/balanceIncrease","payload":{"value":400}}')
    page.shows("what would not be committed any more is told with the reason", "preview", "4 of 5 later actions.*#5 betslip/placeBet.*insufficient-balance")
    page.expect("nothing was committed here", page.get(path)["revision"] == 5)
    page.click("dispatch")
    page.shows("then both are side by side", "panel", r"Against app .* at #5")
    page.shows("with what was refused", "panel", "another action in the place of #1. Not committed: #5 betslip/placeBet .rejected: insufficient-balance")
    page.until("the fork has the edited action", "!!" + page.row('balanceIncrease{"value":400}'))
    page.until("and the form sends again", f"{find('dispatch')}.textContent === 'Send'")


def fork_as_its_preview_shows_it(page):
    path = forks_of_a_bet(page)
    page.button("Edit #1", "document.querySelector('dialog')")
    page.shows("what would be committed is shown", "preview", "5 of 5 later actions")
    page.run("Object.defineProperty(document, 'hidden', {value: true})") # so that nothing is tried again
    page.act(path, "counter/increment")
    page.until("another action is committed meanwhile", f"!!{page.row('6●')}")
    page.click("dispatch")
    page.shows("both are side by side", "panel", r"Against app .* at #6")
    fork = "/sessions/" + page.run("location.hash.slice(1).split('?')[0]")
    page.expect("the fork has only the actions of the preview", page.get(fork + "/state?select=/counter/count")["state"] == 1)


def two_sessions_side_by_side(page):
    first, second = page.session("app", add(1)), page.session("app", add(2))
    page.open(first, f"?beside={second.split('/')[-1]}")
    page.shows("their differences are shown", "panel", r"/tasks/entities/2")
    page.act(second, "counter/increment", by=3)
    page.shows("and follow the other one live", "panel", "/counter/count 0 → 3")
    page.button("Go there", find("panel"))
    page.shows("it can be gone to", "title", "#3 counter/increment")
    page.button("Close", find("panel"))


def export_and_import(page):
    path = page.session("app", [*add(3), {"type": "counter/increment"}])
    page.open(path)
    page.run("window.made = null; URL.createObjectURL = blob => (blob.text().then(text => window.made = text), 'data:,')")
    page.click("more")
    page.button("Export", "document.querySelector('.menu')")
    text = page.until("the log is written to a file", "window.made")
    page.expect("with all actions", [one["revision"] for one in json.loads(text)["actions"]] == [1, 2, 3, 4])
    page.click("more")
    page.button("Import", "document.querySelector('.menu')")
    page.run(f"""(() => {{ const box = {find('import')}, data = new DataTransfer()
        data.items.add(new File([{json.dumps(text)}], 'session.json', {{type: 'application/json'}}))
        box.files = data.files; box.dispatchEvent(new Event('change')) }})()""")
    page.until("a file makes another session", f"location.hash.slice(1).length === 22 && location.hash.slice(1) !== {json.dumps(path[10:])}")
    page.shows("with the same actions", "title", "#4 counter/increment")


def shares(page):
    path = page.session("app", [{"type": "counter/increment"}])
    page.open(path)
    page.click("shares")
    for name, value in [("select", "/counter"), ("label", "front desk"), ("guest", "17")]:
        page.type(f"dialog input[name={name}]", value)
    page.button("Make a share", "document.querySelector('dialog')")
    page.shows("a share is made", "dialog[open]", "The share is made")
    page.shows("and listed", "dialog[open]", "front desk · guest .17. · read · /counter · until")
    page.run("navigator.clipboard ?? Object.defineProperty(navigator, 'clipboard', {value: {}});"
             " navigator.clipboard.writeText = async text => void (window.copied = text)")
    page.button("Copy state", "document.querySelector('dialog')")
    state = page.until("its address is copied", "window.copied").removeprefix(page.url)
    page.await_equal("which shows its part", lambda: page.get(state)["state"], {"count": 1})
    page.button("Revoke", "[...document.querySelectorAll('dialog li')].at(-1)")
    page.shows("it is revoked alone", "dialog[open]", "There are no shares")
    page.expect("and is unknown then", page.status("GET", state) == 404)


def a_view_through_a_share(page):
    path = page.session("app", [{"type": "counter/increment"}])
    share = page.send("POST", path + "/shares", {"may": ["read"], "select": "/counter", "expiresIn": 60})["share"]
    page.open()
    page.type("id", f"{page.url}/shared/{share}/state")
    page.press("Enter")
    page.shows("the address of a share opens its part of the state", ".tree", "^▾?count1$|^count1")
    page.until("and nothing else", "document.querySelectorAll('.tree [role=treeitem]').length === 1")
    page.shows("it is watched live", "live", "^live")
    page.until("nothing is said to be loading", "!document.body.innerText.includes('Loading')")
    page.until("nothing can be sent, forked or shared", f"['dispatch', 'fork', 'shares'].every(id => document.getElementById(id).disabled)")
    page.act(path, "tasks/add", title="Not in the share")
    page.act(path, "counter/increment", by=4)
    page.shows("a change comes by itself", "title", "#3 changed")
    page.shows("with its values", ".changes", "/count 1 → 5")
    page.act(path, "counter/increment")
    page.shows("and the next", ".changes", "/count 5 → 6")
    page.pick("3■")
    page.shows("the past of this page can be walked", ".changes", "/count 1 → 5")
    page.until("the address keeps it", "location.hash.startsWith('#share/') && location.hash.includes('at/3')")
    page.click("chip")
    page.until("the first page is near", "!!document.querySelector('#start .card')")
    page.until("it is not remembered", "!JSON.stringify(localStorage).includes('share/')")
    page.open(path)
    page.click("shares")
    page.button("Make a share", "document.querySelector('dialog')")
    page.run("window.copied = null; navigator.clipboard ?? Object.defineProperty(navigator, 'clipboard', {value: {}});"
             " navigator.clipboard.writeText = async text => void (window.copied = text)")
    page.button("Copy page", "document.querySelector('dialog')")
    copied = page.until("the address of such a page can be copied", "window.copied")
    page.expect("without the id of the session", copied.startswith(page.url + "/#share/") and path[10:] not in copied, copied)
    page.send("DELETE", path + "/shares")
    page.run(f"location.hash = {copied.split('#')[1]!r}")
    page.shows("a share that is revoked is told", "live", "access was taken away|there is no such session")


def who_watches(page):
    path = page.session("app")
    page.open(path)
    page.shows("who watches is told", "people", "1 anonymous")
    page.until("and the number of streams", f"{find('numbers')}.textContent", lambda text: "1 stream" in text)


def deleting_a_session(page):
    path = page.session("app", [{"type": "counter/increment"}] * 450)
    page.open(path)
    page.run("window.asked = null; window.confirm = words => (window.asked = words, true)")
    page.click("more")
    page.button("Delete this session", "document.querySelector('.menu')")
    page.until("it is asked before", "window.asked", lambda words: words and "for everybody" in words)
    page.shows("the session ends", "live", "ended")
    page.expect("for everybody", page.status("GET", path) == 410)
    page.run(f"{find('list')}.scrollTop = 1e9")
    page.until("its whole log was read before", f"({find('list')}.scrollTop = 1e9,"
               " [...document.querySelectorAll('#rows .row .n')].some(n => n.textContent === '1'))")


def a_page_that_is_left_follows_nothing(page):
    path = page.session("app", add(1))
    page.open(path)
    page.run("dispatchEvent(new PageTransitionEvent('pagehide'))")
    page.await_equal("a page that is left follows nothing", lambda: page.get(path)["subscribers"], 0)
    for _ in range(20):
        page.act(path, "counter/increment")
    page.run("dispatchEvent(new PageTransitionEvent('pageshow'))")
    page.shows("a page that is shown again goes on where it was", "title", "#21 counter/increment")
    page.until("with what was missed", f"!!{page.row('12●')}")
    page.await_equal("with one stream", lambda: page.get(path)["subscribers"], 1)


def the_operators_list(page):
    token = os.environ.get("INSPECTOR_ADMIN_TOKEN")
    if not token:
        print("    skipped: INSPECTOR_ADMIN_TOKEN is not set", flush=True)
        return
    page.open() # so that no page uses another session
    path = page.session("app", add(1))
    name = page.get(path)["mark"]
    page.type("admin-token", token)
    page.press("Enter")
    page.until("an admin token lists all sessions", "document.querySelectorAll('#start tbody tr').length > 0")
    page.until("the last used stands first, with the size of its state",
               f"/{name}[^]* \\d+ B/.test([...document.querySelectorAll('#start tbody tr')[0].cells].map(cell => cell.textContent).join(' '))")
    page.type("#start input[placeholder='short name']", name)
    page.press("Enter")
    page.until("one is found by its short name", "document.querySelectorAll('#start tbody tr').length === 1")
    page.button("End", "document.querySelector('#start tbody')")
    page.button("Undo")
    page.expect("ending can be undone", page.status("GET", path) == 200)
    page.button("app", "document.querySelector('#start tbody')")
    page.shows("it opens", "title", "#1 tasks/add")


def token(secret, **claims):
    """A JSON Web Token (HS256)."""
    def written(part):
        return base64.urlsafe_b64encode(part).rstrip(b"=")
    claims = {"exp": int(time.time()) + 3600, **claims}
    signed = b".".join(written(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return (signed + b"." + written(hmac.digest(secret.encode(), signed, hashlib.sha256))).decode()


def signing_in_and_actors_with_roles(page):
    url, secret = os.environ.get("INSPECTOR_TOKEN_URL"), os.environ.get("INSPECTOR_SECRET")
    if not url or not secret:
        print("    skipped: INSPECTOR_TOKEN_URL and INSPECTOR_SECRET are not set", flush=True)
        return
    page = Page(page.browser, url)
    ada = token(secret, sub="ada", name="Ada", storehouse={"roles": ["cashier"]})
    page.open()
    page.shows("a server in token mode asks to sign in", "start", "Sign in.*for a token")
    page.until("and shows no error", f"{find('problem')}.textContent === ''")
    page.type("token", "no token")
    page.press("Enter")
    page.shows("a wrong token is refused", "#enter + .refusal", "401 unauthorized")
    page.type("token", ada)
    page.press("Enter")
    page.until("a right one shows the kinds", "document.querySelectorAll('#start .card').length > 3")
    page.until("and is nowhere on the page", f"!document.documentElement.outerHTML.includes('{ada}')")
    page.click("#start .card")
    page.shows("a session is watched live", "live", "^live")
    page.shows("by whom, with the roles", "people", r"Ada \(cashier\)")
    page.choose_type("counter/increment")
    page.click("dispatch")
    page.shows("the log names the actor", "title", "#1 counter/increment.*Ada .user.")
    page.type("filter", "actor:ada")
    page.until("and can be filtered by it", "document.querySelectorAll('#rows .row').length === 1")


def from_a_failure_to_its_cause_with_the_admin_token(page):
    url, secret, admin = (os.environ.get("INSPECTOR_" + name) for name in ("TOKEN_URL", "SECRET", "ADMIN_TOKEN"))
    if not url or not secret or not admin:
        print("    skipped: INSPECTOR_TOKEN_URL, INSPECTOR_SECRET and INSPECTOR_ADMIN_TOKEN are not set", flush=True)
        return
    page = Page(page.browser, url)
    name = os.urandom(4).hex() # the server may have sessions of an earlier run
    user = {"Authorization": "Bearer " + token(secret, sub=name)}
    path = "/sessions/" + page.send("POST", "/sessions", {}, user)["id"]
    page.send("POST", path + "/actions", {"type": "counter/increment"}, user)
    page.open()
    page.type("admin-token", admin)
    page.press("Enter")
    page.until("the admin token lists the sessions", "document.querySelectorAll('#start tbody tr').length > 0")
    page.type("#start input[placeholder='owner']", name)
    page.press("Enter")
    page.until("the sessions of a user are found", "document.querySelectorAll('#start tbody tr').length === 1")
    page.button("app", "document.querySelector('#start tbody')")
    page.shows("one opens without a token of the user", "title", f"#1 counter/increment.*{name}")
    page.shows("it is watched live", "live", "^live")
    page.until("and only looked at", f"['dispatch', 'fork', 'shares'].every(id => document.getElementById(id).disabled)")
    page.send("POST", path + "/actions", {"type": "counter/increment"}, user)
    page.shows("a change comes by itself", "title", "#2 counter/increment")


TESTS = [first_visit, open_by_id_and_recent_sessions, an_unknown_session_is_told, switch_between_sessions, fork_at_any_revision, fork_while_an_effect_runs,
         fork_without_an_action, fork_with_an_edited_action, fork_as_its_preview_shows_it, two_sessions_side_by_side, export_and_import, shares, a_view_through_a_share, who_watches, deleting_a_session,
         a_page_that_is_left_follows_nothing, the_operators_list,
         signing_in_and_actors_with_roles, from_a_failure_to_its_cause_with_the_admin_token]
