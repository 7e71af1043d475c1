"""Sending: forms, dry runs, batches, and what others can run."""

import json

from devtools import find

PASSWORD = "some secret password"


def a_form_from_the_schema(page):
    path = page.session("planner")
    page.open(path)
    page.choose_type("tasks/add")
    page.shows("an action is explained", "send", "Adds a task")
    page.until("a day has a date field", "document.querySelector('#form [data-pointer=\"/due\"]')?.type === 'date'")
    page.fill("/title", "Buy milk")
    page.click("dispatch")
    page.shows("it is sent", "answer", "committed, #1")
    page.shows("and its change is told", ".changes", '"title":"Buy milk"')
    page.until("what was typed stays", "document.querySelector('#form [data-pointer=\"/title\"]').value === 'Buy milk'")
    page.choose_type("settings/update")
    page.until("a choice has a menu", "!!document.querySelector('#form select')")


def a_live_dry_run_before_sending(page):
    path = page.session("app")
    page.open(path)
    page.choose_type("counter/increment")
    page.fill("/by", "41")
    page.shows("what would change is shown before Send", "preview", r"/counter/count 0 → 41.*would be committed as #1")
    page.choose_type("betslip/placeBet")
    page.shows("and what would be refused, with the reason", "preview", "409 action-rejected.*empty-betslip.*It would be refused")
    page.choose_type("counter/increment")
    page.fill("/by", "x")
    page.until("a wrong field is marked", "document.querySelector('#form [aria-invalid=true]') !== null")
    page.shows("with what is wrong", "form", "must be")
    page.expect("nothing was committed", page.get(path)["revision"] == 0)


def json_in_place_of_the_form(page):
    path = page.session("app")
    page.open(path)
    page.choose_type("counter/increment")
    page.click("as-json")
    page.until("the form's action is there", f"JSON.parse({find('json')}.value).type", lambda type: type == "counter/increment")
    page.type("json", '{"type":"counter/increment","payload":{"by":7}}')
    page.press("Enter", modifiers=2)
    page.shows("Ctrl+Enter sends it", "answer", "committed, #1")
    page.shows("as typed", ".changes", "/counter/count 0 → 7")
    page.type("json", '{"type":"counter/increment"')
    page.shows("what is no JSON is told", "preview", "not JSON")
    page.click("dispatch")
    page.shows("and is not sent", "refusal", "malformed-json")
    page.until("what was typed stays", f"{find('json')}.value.startsWith('{{')")


def secrets_are_masked(page):
    path = page.session("app")
    page.open(path)
    page.choose_type("login/enteringCredential")
    page.until("a secret has a field that masks it", "document.querySelector('#form input[type=password]') !== null")
    page.fill("/username", "")
    page.fill("/password", PASSWORD)
    page.click("dispatch")
    page.shows("it is sent", "answer", "committed, #1")
    page.shows("masked in the log", "rows", r'"password":"\*\*\*"')
    page.until("and gone from the page", f"!document.documentElement.outerHTML.includes('{PASSWORD}')"
               " && [...document.querySelectorAll('input, textarea')].every(one => !one.value.includes('secret password'))")


def a_batch_is_sent_at_once_and_stays(page):
    path = page.session("app")
    page.open(path)
    page.choose_type("counter/increment")
    page.fill("/by", "2")
    page.button("Add to batch")
    page.fill("/by", "3")
    page.button("Add to batch")
    page.shows("both changes are tried together", "preview", "/counter/count 0 → 5")
    page.shows("the button tells how many", "dispatch", "Send 2")
    page.click("dispatch")
    page.shows("both are committed", "answer", "committed, #2")
    page.until("and the batch is still there", "document.querySelectorAll('.batch li').length === 2")
    page.expect("one revision each", page.get(path)["revision"] == 2)
    page.choose_type("betslip/placeBet")
    page.button("Add to batch")
    page.click("dispatch")
    page.shows("one that is refused stops all", "refusal", "action 3 of the batch")
    page.expect("nothing of it was committed", page.get(path)["revision"] == 2)


def only_at_this_revision(page):
    path = page.session("app", [{"type": "counter/increment"}] * 3)
    page.open(path, "/at/2")
    page.choose_type("counter/increment")
    page.click("only")
    page.shows("the dry run tells that the revision has passed", "preview", "412 revision-mismatch")
    page.click("dispatch")
    page.shows("and Send is refused too", "refusal", "412 revision-mismatch")
    page.click("now")
    page.click("dispatch")
    page.shows("at the newest revision it commits", "answer", "committed, #4")


def send_an_action_again_or_edit_it(page):
    path = page.session("app", [{"type": "counter/increment", "payload": {"by": 5}}, {"type": "counter/decrement"}])
    page.open(path, "/at/1")
    page.press("e")
    page.until("e fills the form with the chosen action", "document.querySelector('#form [data-pointer=\"/by\"]')?.value === '5'")
    page.fill("/by", "6")
    page.click("dispatch")
    page.shows("which can be edited before it is sent", ".changes", "/counter/count 4 → 10")


def copy_as_curl_and_code(page):
    path = page.session("app", [{"type": "counter/increment", "payload": {"by": 5}}])
    page.open(path)
    page.expect("curl", "/actions" in page.copied("curl") and '"by":5' in page.run("window.copied"), page.run("window.copied"))
    page.expect("a command of storehouse", page.copied("storehouse send").startswith("storehouse send "), page.run("window.copied"))
    page.expect("JavaScript", "store.dispatch(" in page.copied("JavaScript"), page.run("window.copied"))
    page.expect("a test in Swift", "TestStore(" in page.copied("Swift test"), page.run("window.copied"))
    page.expect("the state", json.loads(page.copied("State as JSON"))["counter"] == {"count": 5}, page.run("window.copied"))
    page.expect("a link", page.copied("Link to what is shown") == page.url + "/#" + path.split("/")[-1] + "/changes", page.run("window.copied"))


TESTS = [a_form_from_the_schema, a_live_dry_run_before_sending, json_in_place_of_the_form, secrets_are_masked,
         a_batch_is_sent_at_once_and_stays, only_at_this_revision, send_an_action_again_or_edit_it,
         copy_as_curl_and_code]
