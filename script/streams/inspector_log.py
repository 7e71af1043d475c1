"""The log: what happened, when, because of what."""

import json
import re

from devtools import find

HOSTILE = "<img src=x onerror=\"window.ran = 1\"><script>window.ran = 1</script>"


def add(count, title="Task"):
    return [{"type": "tasks/add", "payload": {"title": f"{title} {number}"}} for number in range(1, count + 1)]


def search_and_filter_of_the_log(page):
    path = page.session("app", [*add(30), {"type": "counter/increment", "payload": {"by": 5}}, {"type": "animal/fetchAnimal"}])
    page.open(path)
    page.until("an effect's action is there too", f"!!{page.row('setCurrentAnimal')}")
    for text, wanted in [("counter/increment", "31"), ("origin:effect", "33"), ("path:/counter", "31"), ("type:animal/fetch*", "32")]:
        page.type("filter", text)
        page.until(f"{text} finds one", f"{find('#rows')}.children.length === 1 && {find('#rows .row .n')}.textContent", lambda n: n == wanted)
    page.type("filter", "rev:10..12 -rev:11")
    page.until("a range and a negation", "[...document.querySelectorAll('#rows .row .n')].map(n => n.textContent).sort().join()",
               lambda found: found == "10,12")
    page.until("the filter stands in the address", "decodeURIComponent(location.hash)", lambda hash: "q=rev:10..12" in hash)
    page.type("filter", "rev:x")
    page.shows("a filter that makes no sense is explained", "filterproblem", "rev: is a revision or a range")
    page.type("filter", "")
    page.until("without it all is back", f"{find('#rows')}.children.length > 20")


def a_long_log_is_read_in_pages(page):
    path = page.session("app", [{"type": "counter/increment"}] * 450)
    page.open(path)
    page.until("the newest page is there", f"!!{page.row('450')}")
    page.until("only rows in sight are elements", "document.querySelectorAll('#rows .row').length", lambda count: 10 < count < 60)
    page.run(f"{find('list')}.scrollTop = 1e9")
    page.until("scrolling reads older pages", f"({find('list')}.scrollTop = 1e9, document.querySelector('#rows .row .n'),"
               " [...document.querySelectorAll('#rows .row .n')].some(n => n.textContent === '1'))")
    page.shows("the state bar tells how many there are", "numbers", "450 commits")


def refused_actions_with_their_reason(page):
    path = page.session("app", add(2))
    page.expect("another client is refused", page.status("POST", path + "/actions", {"type": "betslip/placeBet"}) == 409)
    page.open(path)
    page.until("the refusal stands in the log", f"{page.row('placeBet')}?.textContent", lambda text: "409 empty-betslip" in text)
    page.pick("placeBet")
    page.shows("choosing it tells why", ".changes", "Refused at #2: 409 action-rejected, empty-betslip. Nothing was changed")
    page.type("filter", "is:refused")
    page.until("the filter shows refusals only", "document.querySelectorAll('#rows .row').length === 1"
               " && document.querySelectorAll('#rows .row.refused').length === 1")
    page.shows("the state bar counts them", "numbers", "1 refused")


def causes_of_actions_as_a_tree(page):
    path = page.session("app")
    page.send("POST", path + "/actions", {"type": "animal/fetchAnimal"}, {"Prefer": "wait=10"})
    page.open(path)
    page.shows("the newest action names its cause", "title", "because of #1")
    page.click("causes")
    page.until("the effect stands below its cause, indented",
               "[...document.querySelectorAll('#rows .row')].sort((a, b) => b.at - a.at).map(row => [row.querySelector('.n').textContent,"
               " parseInt(row.querySelector('.name').style.paddingLeft)]).join()", lambda found: found == "1,0,2,12")
    page.until("a bar shows when the effect ran", f"{page.row('setCurrentAnimal')}.querySelector('.since').style.background",
               lambda bar: "linear-gradient" in bar and "0%" in bar and "100%" in bar)
    page.button("because of #1")
    page.shows("the cause is a link", "title", "#1 animal/fetchAnimal")
    page.click("tab-effects")
    page.shows("and tells what it brought", "panel", r"#2 animal/setCurrentAnimal.* later")


def effects_with_their_phases(page):
    path = page.session("app")
    page.open(path)
    page.click("tab-effects")
    page.act(path, "animal/fetchAnimal")
    page.shows("an effect is told", "panel", r"animal\.fetch(started|running|succeeded)")
    page.shows("and how it ends", "panel", r"animal\.fetchsucceeded.*because of #1")
    page.shows("the action that it brings is in the log", "rows", "2◆animal/setCurrentAnimal")


def actions_of_others_come_by_themselves(page):
    path = page.session("app", add(3))
    page.open(path)
    page.act(path, "tasks/add", title=HOSTILE)
    page.shows("another client's action comes by itself", "title", "#4 tasks/add")
    page.shows("its change is told at once", ".changes", re.escape("/tasks/entities/4"))
    page.shows("hostile text is text in the log", "rows", re.escape(json.dumps(HOSTILE)[:40]))
    page.until("and no element", "window.ran === undefined && document.querySelectorAll('img, main script').length === 0")
    page.shows("the rate is told", "live", r"live · .*/s")


def minutes_in_the_log(page):
    path = page.session("app", add(60))
    page.open(path)
    newest = page.get(path + "/actions?before=61&limit=1")["actions"][0]["at"]
    minute = page.run(f"new Date({newest!r}).toLocaleString([], {{dateStyle: 'medium', timeStyle: 'short'}})")
    page.until("the minute of the first row in sight stands above the list", f"{find('minute')}.textContent", lambda text: text == minute)
    # Another log of the server, in which a minute ends between #30 and #31.
    script = page.browser.ask("Page.addScriptToEvaluateOnNewDocument", source="""const ask = fetch; window.fetch = async (path, how) => {
        const answer = await ask(path, how)
        if (!String(path).includes('/actions?before')) return answer
        const page = await answer.json()
        for (const one of page.actions) one.at = new Date(Date.UTC(2026, 0, 2, 3, 4 + (one.revision > 30), 5)).toISOString()
        return new Response(JSON.stringify(page), answer) }""")["identifier"]
    page.open(path)
    page.browser.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    page.until("the first row of a minute tells it in place of the time since the one before",
               "[...document.querySelectorAll('#rows .row.minute')].map(row => [row.querySelector('.n').textContent, row.querySelector('.since').textContent]).join()",
               lambda rows: rows.startswith("31,") and rows.endswith(":05"))
    above = page.run(f"{find('minute')}.textContent")
    page.run(f"{find('list')}.scrollTop = 1e9")
    page.until("and the minute above follows the rows in sight", f"{find('minute')}.textContent", lambda text: text not in ("", above))


def pausing_the_list(page):
    path = page.session("app", add(3))
    page.open(path)
    page.click("pause")
    for _ in range(3):
        page.act(path, "counter/increment")
    page.shows("what comes is counted", "news", "^3 new$")
    page.expect("and the list stands", not any("increment" in row for row in page.rows()))
    page.click("pause")
    page.until("afterwards it is shown", f"!!{page.row('increment')}")


def an_ended_session_can_still_be_read(page):
    path = page.session("app", add(30))
    page.open(path)
    page.pick("Task 20")
    page.send("DELETE", path)
    page.shows("the end is told", "live", "ended")
    page.until("nothing can be sent", f"{find('dispatch')}.disabled && {find('fork')}.disabled")
    page.pick("Task 12")
    page.shows("the log can be walked", "title", "#12 tasks/add")
    page.shows("with what changed", ".changes", "/tasks/entities/12")


def a_session_that_has_ended_before(page):
    path = page.session("app", add(3))
    mark = page.get(path)["mark"]
    page.open(path)
    page.send("DELETE", path)
    page.open(page.session("app", add(1)))
    page.run(f"location.hash = {path.removeprefix('/sessions/')!r}")
    page.shows("it is told that the server has erased it, and where it may still be", "problem",
               "410 session-ended: .*page that showed it.*export.*backup")
    page.until("nobody watches", f"{find('people')}.textContent === ''")
    page.until("it is no longer among the recent ones", f"!{find('start')}.textContent.includes('app {mark}')")


def what_was_not_loaded_of_an_ended_session(page):
    path = page.session("app", [{"type": "counter/increment"}] * 450)
    page.open(path)
    page.until("the newest page is there", f"!!{page.row('450')}")
    page.send("DELETE", path)
    page.shows("it is told where the log ends", "news", r"Actions before #\d+ were not loaded when it ended")
    page.run("window.made = null; URL.createObjectURL = blob => (blob.text().then(text => window.made = text), 'data:,')")
    page.click("more")
    page.button("Export", "document.querySelector('.menu')")
    text = page.until("what is loaded can be exported", "window.made")
    page.expect("with the newest action", json.loads(text)["actions"][-1]["revision"] == 450)


def opening_shows_what_the_newest_action_changed(page):
    path = page.session("app", add(12))
    page.open(path)
    page.shows("the newest action is chosen", "title", "#12 tasks/add")
    page.shows("and its changes are there", ".changes", "/tasks/entities/12.*/trends/added 11 → 12")


TESTS = [search_and_filter_of_the_log, a_long_log_is_read_in_pages, refused_actions_with_their_reason, causes_of_actions_as_a_tree,
         effects_with_their_phases, actions_of_others_come_by_themselves, minutes_in_the_log, pausing_the_list, an_ended_session_can_still_be_read,
         a_session_that_has_ended_before, what_was_not_loaded_of_an_ended_session,
         opening_shows_what_the_newest_action_changed]
