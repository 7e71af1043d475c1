"""The state: now and then, searched and compared."""

from devtools import find
from inspector_log import add


def planned(count):
    return [{"type": "tasks/add", "payload": {"title": f"Task {number}", "due": "2026-12-24"}} for number in range(1, count + 1)]


def search_in_the_state(page):
    path = page.session("planner", planned(60))
    page.open(path, "/state")
    page.type(".tools input", "Task 57")
    page.shows("it is found", ".tools .note", "1 of 1")
    page.until("shown and chosen", "document.querySelector('[role=treeitem][aria-selected=true]')?.id",
               lambda id: id == "node/tasks/entities/57/title")
    page.shows("its path can be copied", ".pathbar code", "^/tasks/entities/57/title$")
    page.type(".tools input", "nowhere")
    page.shows("what is not there is told", ".tools .note", "0 of 0")


def jump_to_any_revision(page):
    path = page.session("app", [{"type": "counter/increment"}] * 30)
    page.open(path)
    page.until("the log is there", f"!!{page.row('30')}")
    page.pick("12●")
    page.shows("a row of the log leads back", "title", "#12 counter/increment")
    page.shows("with what it changed", ".changes", "/counter/count 11 → 12")
    page.until("the state is that of then", f"[...document.querySelectorAll('.tree .row')].some(row => row.textContent.startsWith('count12'))")
    page.act(path, "counter/increment")
    page.until("while the log goes on", f"!!{page.row('31●')}")
    page.shows("the past stays", "title", "#12 counter/increment")
    page.run(f"{find('list')}.focus()")
    page.press("ArrowDown")
    page.shows("an arrow key goes on", "title", "#11 counter/increment")
    page.type("jump", "7")
    page.press("Enter")
    page.shows("a number leads there", "title", "#7 counter/increment")
    page.click("now")
    page.shows("Live goes back", "title", "#31 counter/increment")


def steps_in_the_loaded_log_need_no_request(page):
    path = page.session("app", [{"type": "counter/increment"}] * 150)
    page.open(path)
    page.pick("150●")
    page.click("back")
    page.shows("a first step may read", ".changes", "/counter/count 148 → 149")
    def asked():
        return sum("/state?" in one["url"] or "/actions?before" in one["url"] for one in page.requests())
    before = asked()
    for revision in range(148, 100, -1):
        page.click("back")
    page.shows("many steps", ".changes", "/counter/count 100 → 101")
    page.expect("no request was made for them", asked() == before, asked() - before)


def slider_and_play(page):
    path = page.session("app", [{"type": "counter/increment"}] * 20)
    page.open(path)
    page.until("the slider knows the newest revision", f"{find('slider')}.getAttribute('aria-valuenow')", lambda now: now == "20")
    box = page.run(f"(() => {{ const box = {find('slider')}.getBoundingClientRect(); return [box.left, box.top, box.width] }})()")
    for kind in ("mousePressed", "mouseReleased"):
        page.browser.ask("Input.dispatchMouseEvent", type=kind, x=box[0] + box[2] * 0.225, y=box[1] + 10, button="left", buttons=1, clickCount=1)
    page.shows("a click on it travels", "title", "#5 counter/increment")
    page.run(f"{find('slider')}.focus()")
    page.press("ArrowRight")
    page.shows("and its arrow keys", "title", "#6 counter/increment")
    page.run(f"{find('pace')}.value = '0'")
    page.click("play")
    page.shows("playing goes on to the end", "title", "#20 counter/increment")
    page.until("and stops there", f"{find('play')}.getAttribute('aria-pressed') === 'false'")


def playing_reads_the_log_before(page):
    path = page.session("app", [{"type": "counter/increment"}] * 450)
    page.open(path)
    page.until("the newest page is there", f"!!{page.row('450')}")
    page.run("window.titles = new Set(); new MutationObserver(() => titles.add(document.querySelector('#title b')?.textContent.split(' ')[0]))"
             ".observe(document.getElementById('title'), {childList: true, subtree: true})")
    page.run(f"{find('pace')}.value = '0'")
    page.click("play")
    page.until("playing begins with the first action, not with those that are loaded", "titles.has('#1')")
    page.until("it goes through older pages", "titles.has('#200')")
    page.until("to the end", f"titles.has('#450') && {find('play')}.getAttribute('aria-pressed') === 'false'")


def changes_of_any_two_revisions(page):
    path = page.session("app", [*add(3), *[{"type": "counter/increment"}] * 5])
    page.open(path, "/at/8")
    page.run("document.getElementById('list').focus()")
    page.run(page.row("2●") + ".dispatchEvent(new MouseEvent('click', {bubbles: true, shiftKey: true}))")
    page.shows("shift and click compare", "title", "#8 against #2")
    page.shows("with all that differs", ".changes", r"/counter/count 0 → 5")
    page.shows("added values too", ".changes", r"/tasks/entities/3 \{")
    page.until("B is in the address", "location.hash", lambda hash: "b=2" in hash)
    page.button("end comparing")
    page.shows("and back", "title", "#8 counter/increment")


def a_change_beyond_many_entities_is_shown(page):
    path = page.session("planner", planned(260))
    page.act(path, "tasks/edit", id=258, title="The changed one")
    page.open(path)
    page.shows("the change is told", ".changes", r"/tasks/entities/258/title .Task 258. → .The changed one.")
    page.until("and its row is shown and marked",
               "document.getElementById('node/tasks/entities/258/title')?.classList.contains('changed')"
               " || document.getElementById('node/tasks/entities/258')?.classList.contains('changed')")
    page.until("with few elements", "document.querySelectorAll('*').length", lambda count: count <= 1500)


def the_chart_of_a_value(page):
    path = page.session("app", [{"type": "counter/increment"}] * 20)
    page.open(path, "/state")
    page.run("document.getElementById('node/counter/count').click()")
    page.button("Pin")
    page.until("a pinned value has a line of its last revisions", "(canvas => canvas && canvas.toDataURL() !== Object.assign("
               "document.createElement('canvas'), {width: canvas.width, height: canvas.height}).toDataURL())(document.querySelector('.pins canvas'))")
    page.act(path, "counter/increment")
    page.shows("which goes on", ".pins .value", "^21$")


def the_raw_action_and_its_schema(page):
    path = page.session("app", [{"type": "counter/increment", "payload": {"by": 5}}])
    page.open(path, "/action")
    page.shows("the entry as JSON", "panel", '"by": 5')
    page.shows("its patch", "panel", '"path": "/counter/count"')
    page.shows("and the schema", "panel", '"maximum": 1000000')


def a_test_is_generated(page):
    path = page.session("app", [{"type": "counter/increment", "payload": {"by": 5}}])
    page.open(path, "/at/1/test")
    page.shows("a TestStore test of the chosen action", "panel", r"TestStore\(.*increment\(5\)")


def deep_links(page):
    path = page.session("app", [{"type": "counter/increment"}] * 9)
    page.open(path, "/at/6/state?q=rev:5..7&lock=1")
    page.shows("an address opens at its revision", "title", "#6 counter/increment")
    page.until("with its tab", f"{find('tab-state')}.getAttribute('aria-selected') === 'true'")
    page.until("and its filter", f"{find('filter')}.value === 'rev:5..7' && document.querySelectorAll('#rows .row').length === 3")
    page.until("a locked page sends nothing", f"{find('dispatch')}.disabled && !{find('lockmark')}.hidden")
    page.pick("5●")
    page.until("what is chosen is in the address", "location.hash", lambda hash: "/at/5/state" in hash)
    page.run("history.back()")
    page.shows("Back leads to the revision before", "title", "#6 counter/increment")


TESTS = [search_in_the_state, jump_to_any_revision, steps_in_the_loaded_log_need_no_request, slider_and_play, playing_reads_the_log_before, changes_of_any_two_revisions,
         a_change_beyond_many_entities_is_shown, the_chart_of_a_value, the_raw_action_and_its_schema, a_test_is_generated, deep_links]
