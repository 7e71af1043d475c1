"""What holds in every state of the page: accessibility, sizes, budgets and its policy."""

import os
from pathlib import Path

from devtools import Failure, find
from inspector_log import add
from inspector_state import planned

SHIFT = 8  # of a key

# What is wrong in the document now, as texts.
FAULTS = r"""(() => {
const faults = []
const seen = element => element.checkVisibility({checkVisibilityCSS: true}) && element.getClientRects().length > 0
const dialog = document.querySelector('dialog[open]')
const all = [...document.body.querySelectorAll('*')].filter(one => seen(one) && (!dialog || dialog.contains(one)))
const name = one => one.tagName.toLowerCase() + (one.id ? '#' + one.id : '') + '.' + one.className + ' ' + one.textContent.slice(0, 30)
// Landmarks
if (!dialog) {
    for (const [landmark, count] of [['header', 1], ['main', 1], ['footer', 1]])
        if (document.querySelectorAll('body > ' + landmark).length !== count) faults.push('landmarks: ' + landmark)
    const texts = all.filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
    for (const one of texts) if (!one.closest('header, main, footer, nav, dialog')) faults.push('outside of all landmarks: ' + name(one))
}
if (document.querySelectorAll('h1').length !== 1) faults.push('headings: h1')
let level = 1
for (const one of all.filter(one => one.matches('h1, h2, h3, h4'))) {
    if (+one.tagName[1] > level + 1 && !dialog) faults.push('headings: ' + name(one))
    level = +one.tagName[1]
}
// What scrolls
const stops = 'button, a, input, select, textarea, summary, [tabindex="0"]'
for (const one of all.filter(one => one.scrollHeight > one.clientHeight + 2 && /auto|scroll/.test(getComputedStyle(one).overflowY)))
    if (!one.matches(stops) && !one.querySelector(stops) && !document.querySelector(`[aria-controls="${one.id}"]`)) faults.push('no key scrolls ' + name(one))
// Names
const labelled = one => one.labels?.length || one.ariaLabel || one.getAttribute('aria-labelledby') || one.title || one.textContent.trim()
for (const one of all.filter(one => one.matches('button, a, input, select, textarea, [role=slider], [role=listbox], [role=tree], dialog, section')))
    if (one.matches('input, select, textarea') ? !(one.labels.length || one.ariaLabel) : !labelled(one)) faults.push('no name: ' + name(one))
// Children that lists and trees may have
for (const [parent, child] of [['listbox', 'option'], ['tree', 'treeitem'], ['tablist', 'tab'], ['menu', 'menuitem']])
    for (const one of all.filter(one => one.getAttribute('role') === child))
        if (!one.closest(`[role=${parent}]`)) faults.push('outside of its ' + parent + ': ' + name(one))
for (const one of all.filter(one => one.matches('ul, ol')))
    if ([...one.childNodes].some(node => node.nodeType === 3 ? node.data.trim() : node.tagName !== 'LI')) faults.push('no item of a list in ' + name(one))
const ids = [...document.querySelectorAll('[id]')].map(one => one.id)
if (new Set(ids).size !== ids.length) faults.push('ids are not unique: ' + ids.filter((id, i) => ids.indexOf(id) !== i))
// Sizes of targets
for (const one of all.filter(one => one.matches('button, a, input, select, textarea, summary, [role=option], [role=treeitem]') && !one.disabled)) {
    const {width, height} = one.getBoundingClientRect()
    if (height < 23.5 || width < 23.5) faults.push(`a target of ${Math.round(width)} × ${Math.round(height)}: ${name(one)}`)
}
// Contrast of texts
const parts = colour => { const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number); return [r, g, b, a] }
const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3]))
const back = one => { const layers = []
    for (let at = one; at; at = at.parentElement) { layers.push(parts(getComputedStyle(at).backgroundColor)); if (layers.at(-1)[3] === 1) break }
    return layers.reverse().reduce((below, top) => [...over(top, below), 1], [255, 255, 255, 1]) }
const light = colour => { const [r, g, b] = colour.slice(0, 3).map(part => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b }
for (const one of all) {
    if (one.disabled || one.closest(':disabled') || one.matches('option, .said') || ![...one.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue
    const below = back(one), style = getComputedStyle(one)
    const text = over(parts(style.color).map((part, i) => i === 3 ? part * style.opacity : part), below)
    const [bright, dark] = [light(text), light(below)].sort((a, b) => b - a)
    const ratio = (bright + 0.05) / (dark + 0.05)
    if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)}: ${name(one)}`)
}
if (document.documentElement.scrollWidth > innerWidth) faults.push('it is wider than the window')
return [...new Set(faults)].slice(0, 20)
})()"""

STATES = {
    "the log and the changes": lambda page: page.click("tab-changes"),
    "the state": lambda page: page.click("tab-state"),
    "an action": lambda page: page.click("tab-action"),
    "effects": lambda page: page.click("tab-effects"),
    "a test": lambda page: page.click("tab-test"),
    "a comparison": lambda page: page.press("b"),
    "JSON": lambda page: page.click("as-json"),
    "a fork": lambda page: page.click("fork"),
    "shares": lambda page: page.click("shares"),
    "the palette": lambda page: page.click("find"),
    "the switcher": lambda page: page.click("chip"),
    "the keyboard overview": lambda page: page.press("?"),
    "the menu": lambda page: page.click("more"),
}


def close_layers(page):
    page.run("document.querySelector('dialog')?.close()")
    page.run("document.querySelector('.menu') && document.body.dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}))")


def axe(page):
    """The findings of axe (https://github.com/dequelabs/axe-core), whose script is the file INSPECTOR_AXE."""
    if not page.run("!!window.axe"):
        page.run(Path(os.environ["INSPECTOR_AXE"]).read_text())
    found = page.browser.ask("Runtime.evaluate", awaitPromise=True, returnByValue=True, expression="""axe.run(document, {resultTypes: ['violations']})
        .then(({violations}) => violations.flatMap(({id, nodes}) => nodes.map(({target, failureSummary}) => `${id}: ${target} ${failureSummary}`)),
            problem => [`axe has failed: ${problem}`])""")
    return found["result"]["value"]


def check(page, what):
    page.until(what, FAULTS, lambda faults: faults == [])
    if "INSPECTOR_AXE" in os.environ:
        found = axe(page)
        page.expect(f"{what}: axe finds nothing", found == [], found)


def in_both_themes(page, what):
    for scheme in ("light", "dark"):
        page.browser.dress(scheme)
        check(page, f"{what}, {scheme}")


def accessibility_on_a_desk(page):
    page.open()
    in_both_themes(page, "the first page")
    path = page.session("app", [*add(5), {"type": "animal/fetchAnimal"}])
    page.status("POST", path + "/actions", {"type": "betslip/placeBet"})
    page.open(path)
    for what, show in STATES.items():
        show(page)
        in_both_themes(page, what)
        close_layers(page)
    page.click("causes")
    in_both_themes(page, "causes as a tree")
    page.open(path, "/at/2?lock=1")
    in_both_themes(page, "a locked page in the past")
    page.browser.resize(1680, 1000)
    in_both_themes(page, "state and changes side by side")
    page.browser.resize(1280, 800)
    other = page.session("app", add(2))
    page.open(path, "?beside=" + other.removeprefix("/sessions/"))
    page.shows("the other session is there", "panel", "Against")
    in_both_themes(page, "two sessions compared")
    share = page.send("POST", path + "/shares", {"may": ["read"], "select": "/counter", "expiresIn": 60})["share"]
    page.open("share/" + share)
    in_both_themes(page, "a share")
    page.open(path)
    page.send("DELETE", path)
    page.shows("a session ends", "live", "ended")
    in_both_themes(page, "an ended session")
    page.open()
    page.run(f"location.hash = {path.removeprefix('/sessions/')!r}")
    page.shows("an ended session cannot be opened", "problem", "410")
    in_both_themes(page, "a problem")


def faults_are_found(page):
    """The checks themselves."""
    page.open(page.session("app", add(2)))
    for what, break_ in [("no name", "document.getElementById('filter').removeAttribute('aria-label'); document.getElementById('filter').placeholder = ''"),
                         ("contrast", "document.getElementById('title').style.color = '#aaa'")]:
        page.run(break_)
        faults = page.run(FAULTS)
        page.expect(f"{what} is found", any(fault.startswith(what) for fault in faults), faults)
    if "INSPECTOR_AXE" in os.environ:
        found = axe(page)
        page.expect("by axe too", {one.split(":")[0] for one in found} >= {"label", "color-contrast"}, found)


def accessibility_on_a_phone(page):
    page.browser.resize(390, 844, True)
    try:
        page.open()
        in_both_themes(page, "the first page")
        page.open(page.session("app", add(5)))
        in_both_themes(page, "the log")
        page.pick("Task 3")
        page.until("a tapped action opens a sheet with its changes", f"{find('detail')}.getBoundingClientRect().top > 300"
                   f" && {find('.changes')}.textContent.includes('/tasks/entities/3')")
        in_both_themes(page, "the sheet")
        for name in ("state", "send"):
            page.click(f"#views [data-name={name}]")
            in_both_themes(page, f"the view {name}")
        page.until("Send is in sight", f"{find('dispatch')}.getBoundingClientRect().bottom <= innerHeight")
    finally:
        page.browser.resize(1280, 800)
        page.browser.dress("light")


def focused(page):
    return page.run("document.activeElement.id || document.activeElement.className || document.activeElement.tagName")


def five_tab_stops(page):
    path = page.session("app", [*add(30), {"type": "animal/fetchAnimal"}])
    page.open(path)
    page.shows("the effect's action is chosen", "title", "because of #31")
    page.run("document.activeElement.blur()")
    stops = []
    while len(stops) < 20 and "types" not in stops:
        page.press("Tab")
        stops.append(focused(page))
    page.expect("five Tab stops are before the menu of actions", stops == ["chip", "back", "list", "tab-changes", "tree", "types"], stops)
    for stop, others in [("tree", []), ("tab-changes", ["tab-state", "tab-action", "tab-effects", "tab-test", "link", "fork", "copy", "tab-changes"]),
                         ("list", ["filter", "causes", "pause", "list"]), ("back", ["play", "forth", "pace", "jump", "now", "slider"]),
                         ("chip", ["find", "shares", "more", "chip"])]:
        page.press("Tab", SHIFT)
        page.expect(f"Shift and Tab go back to {stop}", focused(page) == stop, focused(page))
        for other in others:
            page.press("ArrowRight")
            page.expect(f"an arrow goes on to {other}", focused(page) == other, focused(page))
    page.press("Tab")
    page.expect("Tab comes back to what was used last", focused(page) == "slider", focused(page))
    page.press("Tab", SHIFT)
    page.press("ArrowLeft")
    page.expect("the other arrow goes back", focused(page) == "more", focused(page))


def tab_stops_follow_what_there_is(page):
    page.open()
    page.press("Tab", SHIFT)
    page.expect("the first page has one stop in its bar", focused(page) == "more", focused(page))
    path = page.session("app", add(3))
    page.open(path)
    page.click("tab-action")
    page.until("another tab is chosen", f"{find('tab-action')}.tabIndex === 0")
    page.run(f"{find('list')}.focus()")
    page.press("Tab")
    page.expect("Tab leads to the chosen tab", focused(page) == "tab-action", focused(page))
    page.press("ArrowLeft")
    page.press("Enter")
    page.until("Enter chooses another", f"{find('tab-state')}.getAttribute('aria-selected') === 'true'")
    page.until("and the panel is that of the state", f"!{find('.pathbar')}.hidden")
    page.press("Tab", SHIFT)
    page.press("Tab")
    page.expect("which is the stop then", focused(page) == "tab-state", focused(page))


def keyboard_overview(page):
    page.open(page.session("app", add(9)))
    page.press("?")
    page.shows("? shows all keys", "dialog[open]", "Next older action.*Follow the newest revision")
    page.press("Escape")
    page.until("Escape closes it", "!document.querySelector('dialog')")
    page.press("j")
    page.shows("j goes to the older one", "title", "#8 tasks/add")
    page.press("k")
    page.shows("k to the newer one", "title", "#9 tasks/add")
    page.press("2")
    page.until("numbers choose tabs", f"{find('tab-state')}.getAttribute('aria-selected') === 'true'")
    page.press("/")
    page.until("/ goes to the filter", f"document.activeElement === {find('filter')}")
    page.press("Escape")
    page.browser.press("k", 75, 2)
    page.type("dialog input", "#5")
    page.press("Enter")
    page.shows("the palette leads to a revision", "title", "#5 tasks/add")
    page.press("v")
    page.until("v locks the page", f"!{find('lockmark')}.hidden && {find('dispatch')}.disabled")


def live_numbers(page):
    path = page.session("app", add(3))
    page.open(path)
    page.shows("size, commits, streams, effects and end are told", "numbers", r"B of 1 MiB.*3 commits, oldest #0.*1 stream.*0 effects.*expires in")


def rows_in_the_order_of_reading(page):
    path = page.session("planner", planned(300))
    page.open(path)
    page.run(f"{find('list')}.scrollTop = 2000")
    for number in range(1, 300, 60):
        page.act(path, "tasks/edit", id=number, title="Changed")
    page.shows("all is painted", "title", "#305 ")
    for rows in ("#rows", ".tree > div"):
        page.until(f"once it rests, the elements of {rows} stand as they are seen",
                   f"(tops => tops.length > 10 && tops.every((top, i) => !i || top > tops[i - 1]))"
                   f"([...{find(rows)}.children].map(row => row.getBoundingClientRect().top))")


def the_time_of_answers(page):
    page.open(page.session("app", add(3)))
    page.shows("what 99 of 100 answers took is told", "numbers", r"p99 [\d.]+ (ms|s)")


def budgets(page):
    path = page.session("planner", [*planned(600)])
    page.open(path)
    page.until("the log is there", f"!!{page.row('600')}")
    # Many members of one part of the state are open.
    page.run("document.getElementById('node/tasks/ids')?.querySelector('.twist').click()")
    page.until("at most 1500 elements", "document.querySelectorAll('*').length", lambda count: count <= 1500)
    page.run("window.painted = 0; new MutationObserver(() => painted++).observe(document.getElementById('rows'), {childList: true})")
    page.run("window.added = 0; new MutationObserver(all => { for (const {addedNodes} of all) added += addedNodes.length })"
             ".observe(document.getElementById('session'), {childList: true, subtree: true})")
    before = len(page.requests())
    for number in range(10):
        page.act(path, "tasks/edit", id=590, title=f"Title {number}")
    page.shows("ten commits are shown", "title", "#610 tasks/edit")
    added = page.run("added")
    page.expect("a commit makes few elements, whatever the size of the state", added <= 400, added)
    more = [one["url"] for one in page.requests()[before:] if "/events" not in one["url"]]
    page.expect("and needs few requests", len(more) <= 4, more)


def policy(page):
    page.open(page.session("app", add(1)))
    page.until("no problem was left", f"{find('problem')}.textContent === ''")
    page.until("the policy was not violated", "violations.length === 0")
    for event in page.browser.happened("Log.entryAdded"):
        if event["entry"]["source"] != "network":  # where refusals show, which are wanted
            raise Failure(f"the browser complains: {event['entry']}")
    if faults := page.browser.happened("Runtime.exceptionThrown"):
        raise Failure(f"the script has failed: {faults}")
    asked = [request["url"] for request in page.requests()]
    own = [f"{url}/" for url in (page.url, os.environ.get("INSPECTOR_TOKEN_URL")) if url]
    strange = [one for one in asked if not one.startswith((*own, "data:", "about:"))]
    page.expect(f"no fault in the script, and {len(asked)} requests to this server only", not strange, strange)
    page.run("try { document.body.innerHTML = '<img src=x>' } catch { }")
    page.until("markup cannot be made of text, which would be seen", "violations.length === 1")


TESTS = [faults_are_found, accessibility_on_a_desk, accessibility_on_a_phone, five_tab_stops, tab_stops_follow_what_there_is, keyboard_overview, live_numbers, rows_in_the_order_of_reading, the_time_of_answers, budgets, policy]
