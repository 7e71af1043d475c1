"""The inspector page in a browser: inspector.py CHROMIUM URL FOLDER [WORD]

Uses the page at URL as a developer does, in a headless browser with its files in FOLDER, and ends with status 1 at the first
thing that is not as it should be. With WORD only tests whose names contain it are run. With INSPECTOR_PAGE=FOLDER the page is
that of Sources/StorehouseServer/Inspector/Page or another folder, not the one of the server, so that it can be tried at once.
"""

import sys

import inspector_log
import inspector_looks
import inspector_sending
import inspector_sessions
import inspector_state
from devtools import Browser, Failure
from page import Page

chromium, url, folder, *words = sys.argv[1:]
browser = Browser(chromium, folder)
name = "the browser"
try:
    browser.open("about:blank")
    browser.resize(1280, 800)
    page = Page(browser, url)
    modules = [inspector_log, inspector_state, inspector_sending, inspector_sessions, inspector_looks]
    for test in [test for module in modules for test in module.TESTS]:
        name = test.__name__.replace("_", " ")
        if words and words[0] not in name:
            continue
        print(f"  {name}", flush=True)
        test(page)
except Failure as failure:
    sys.exit(f"the inspector, {name}: {failure}")
finally:
    browser.end()
