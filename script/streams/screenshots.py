"""Pictures of the inspector page: screenshots.py CHROMIUM URL FOLDER TARGET

Writes NAME.png and NAME.structure to the folder TARGET. The second one is a hash of what the picture shows, without what differs
from time to time or from machine to machine: elements with their roles, words of controls, and places of the main parts.
"""

import hashlib
import sys
from pathlib import Path

from devtools import Browser, Failure, find
from page import Page

TITLES = ["Water the plants", "Write to the landlord", "Book the train", "Return the library books", "Call the dentist",
          "Buy a birthday present", "Repair the bicycle", "Plan the garden", "Renew the passport", "Learn a song"]


def lived(page):
    """A session in which something has happened."""
    path = page.session("app", [{"type": "user/balanceIncrease", "payload": {"value": 10000}},
                                *[{"type": "tasks/add", "payload": {"title": title, "due": "2026-12-24"}} for title in TITLES]])
    page.send("POST", path + "/actions", {"type": "animal/fetchAnimal"}, {"Prefer": "wait=10"})
    page.status("POST", path + "/actions", {"type": "betslip/placeBet"})
    for count in (3, 5, 8):
        page.act(path, "counter/increment", by=count)
    page.act(path, "tasks/favorite", id=4)
    page.act(path, "tasks/edit", id=7, title="Repair both bicycles")
    return path


def inspector(page):
    path = lived(page)
    page.open(path)
    page.choose_type("tasks/add")
    page.fill("/title", "Feed the cat")
    page.shows("the dry run has come", "preview", "Feed the cat.*would be committed as")
    page.until("the refused action is in the log", f"!!{page.row('placeBet')}")
    page.until("the numbers are there", f"{find('numbers')}.textContent.includes('expires')")
    page.until("the changed value is in sight", "document.getElementById('node/tasks/entities/7/title')?.classList.contains('changed')")
    page.until("its id is not", f"!document.body.innerText.includes('{path[10:]}')")
    page.until("every part is in sight", "['chip', 'live', 'slider', 'filter', 'list', 'title', 'tabs', 'panel', 'dispatch', 'numbers']"
               ".every(id => { const box = document.getElementById(id).getBoundingClientRect();"
               " return box.width > 0 && box.height > 0 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1 })")
    page.run("document.activeElement.blur()")


# One line for each element in sight. Of rows there is one of each kind: how many there are depends on the heights of texts.
STRUCTURE = r"""(() => {
const lines = []
const words = one => one.matches('button, label, h1, h2, summary, a, legend') && one.id !== 'chip'
    ? [...one.childNodes].filter(node => node.nodeType === 3).map(node => node.data.trim().replace(/\d+/g, '0')).join(' ') : ''
const place = one => one.matches('header, footer, #session > section')
    ? Object.values(one.getBoundingClientRect().toJSON()).slice(0, 4).map(Math.round).join() : ''
const walk = (one, depth) => {
    if (!one.checkVisibility() || one.matches('script, style, #rows, .tree > div, #numbers, .preview, .pad')) return
    lines.push([' '.repeat(depth) + one.tagName, one.id, one.getAttribute('role'), one.ariaLabel, words(one), place(one)].join('|'))
    for (const child of one.children) walk(child, depth + 1)
}
walk(document.body, 0)
for (const rows of ['#rows > .row', '.tree .row', '.preview li']) {
    const kinds = [...document.querySelectorAll(rows)].map(row => [...row.querySelectorAll('*')].map(one => one.className).join())
    lines.push(rows, ...new Set(kinds.sort()))
}
return lines.join('\n')
})()"""

chromium, url, folder, target = sys.argv[1:]
browser = Browser(chromium, folder)
try:
    browser.open("about:blank")
    browser.resize(1280, 800)
    browser.dress("light")
    inspector(Page(browser, url.rstrip("/")))
    structure = browser.run(STRUCTURE)
    (Path(target) / "inspector.structure").write_text(hashlib.sha256(structure.encode()).hexdigest() + "\n")
    (Path(target) / "inspector.lines").write_text(structure)
    (Path(target) / "inspector.png").write_bytes(browser.picture())
except Failure as failure:
    sys.exit(f"the pictures: {failure}")
finally:
    browser.end()
