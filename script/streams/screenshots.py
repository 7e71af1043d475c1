"""Pictures of the inspector page: screenshots.py CHROMIUM URL FOLDER TARGET"""

import sys

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
    page.until("its id is not", f"!document.body.innerText.includes('{path[10:]}')")
    page.until("every part is in sight", "['chip', 'live', 'slider', 'filter', 'list', 'title', 'tabs', 'panel', 'dispatch', 'numbers']"
               ".every(id => { const box = document.getElementById(id).getBoundingClientRect();"
               " return box.width > 0 && box.height > 0 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1 })")
    page.run("document.activeElement.blur()")


chromium, url, folder, target = sys.argv[1:]
browser = Browser(chromium, folder)
try:
    browser.open("about:blank")
    browser.resize(1280, 800)
    browser.dress("light")
    inspector(Page(browser, url.rstrip("/")))
    with open(target + "/inspector.png", "wb") as file:
        file.write(browser.picture())
except Failure as failure:
    sys.exit(f"the pictures: {failure}")
finally:
    browser.end()
