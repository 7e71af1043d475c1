"""Measures the inspector page beside a large session: budgets.py CHROMIUM URL FOLDER [--full]

Without --full the session is small, and only what does not depend on the speed of the machine is judged: elements, memory and
requests. With it the session has 5000 entities and 10 000 commits, and times are judged too. CPU times are those of the page's
main thread, so other programs hardly matter to them; the times marked with "wall" need a machine that is idle.
"""

import json
import math
import sys
import time

from devtools import Browser, Failure, find
from page import Page

# In the page: what is touched, when the newest revision is painted, and when a session is there.
WATCH = """
addEventListener('DOMContentLoaded', () => {
    const title = document.getElementById('title'), begun = performance.now()
    window.touched = 0
    window.paints = []
    new MutationObserver(all => void (touched += all.length)).observe(document.body,
        {subtree: true, childList: true, attributes: true, characterData: true})
    // A frame is painted before a timer runs that began in it. The title changes within a frame, or before one.
    let isFrame = false
    const frame = window.requestAnimationFrame.bind(window)
    window.requestAnimationFrame = act => frame(time => {
        isFrame = true
        act(time)
        queueMicrotask(() => isFrame = false)
    })
    const painted = words => setTimeout(() => paints.push([words, performance.now()]))
    new MutationObserver(() => isFrame ? painted(title.textContent) : frame(painted.bind(null, title.textContent)))
        .observe(title, {subtree: true, childList: true, characterData: true})
    const look = () => document.querySelector('#rows .row') && document.querySelector('[role=treeitem]')
        ? setTimeout(() => window.opened = performance.now()) : requestAnimationFrame(look)
    look()
})"""

# Sends commits at a rate, and gives the milliseconds from each request until its revision, or a newer one, is painted.
SEND = """(async (path, count, pause, entities) => {
    const sent = [], sleep = time => new Promise(done => setTimeout(done, time))
    const post = async number => {
        const at = performance.now()
        const answer = await (await fetch(path + '/actions?select=/-', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(
            {type: 'tasks/edit', payload: {id: 1 + number * 37 % entities, title: `Measured ${number} ${at}`}})})).json()
        sent.push([answer.revision, at])
    }
    paints.length = 0
    for (let number = 0; number < count; number++) { post(number); await sleep(pause) }
    const revision = words => Number(/^#(\\d+)/.exec(words)?.[1] ?? 0)
    const newest = () => Math.max(0, ...sent.map(([revision]) => revision))
    while (sent.length < count || !paints.some(([words]) => revision(words) >= newest())) await sleep(20)
    window.measured = sent.map(([wanted, at]) => Math.min(...paints.filter(([words]) => revision(words) >= wanted).map(([, time]) => time)) - at)
})"""


class Budgets:
    def __init__(self, browser, page, full):
        self.browser, self.page, self.full = browser, page, full
        self.faults = []
        self.entities, self.commits = (5000, 10_000) if full else (400, 1000)

    def judge(self, what, value, most, unit="", timed=False):
        is_judged = self.full or not timed
        is_good = value <= most
        sign = "ok" if is_good else "TOO MUCH" if is_judged else "(not judged)"
        print(f"    {sign}: {what}: {value:,.4g}{unit} of {most:,}{unit}", flush=True)
        if is_judged and not is_good:
            self.faults.append(what)

    def cpu(self):
        """Milliseconds that the tasks of the page's main thread have taken of a processor."""
        metrics = {one["name"]: one["value"] for one in self.browser.ask("Performance.getMetrics")["metrics"]}
        return metrics["TaskDuration"] * 1000

    def session(self, entities, commits):
        add = [{"type": "tasks/add", "payload": {"title": f"Task {number}", "due": "2026-12-24"}} for number in range(entities)]
        edit = [{"type": "tasks/edit", "payload": {"id": 1 + number % entities, "title": f"Title {number}"}}
                for number in range(commits - entities)]
        return self.page.session("planner", add + edit)

    def longest_task(self, act):
        """Milliseconds of a processor that the longest task of a page's main thread takes while something is done."""
        self.browser.forget("Tracing.")
        self.browser.ask("Tracing.start", transferMode="ReportEvents",
                         traceConfig={"includedCategories": ["disabled-by-default-devtools.timeline"]})
        act()
        self.browser.ask("Tracing.end")
        end = time.monotonic() + 60
        while not self.browser.happened("Tracing.tracingComplete"):
            if time.monotonic() > end:
                raise Failure("the trace does not end")
            time.sleep(0.05)
        events = [event for part in self.browser.happened("Tracing.dataCollected") for event in part["value"]]
        main = {(one["pid"], one["tid"]) for one in events if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"}
        return max(one.get("tdur", 0) for one in events if one["name"] == "RunTask" and (one["pid"], one["tid"]) in main) / 1000

    def open(self, path):
        self.page.open(path)
        self.page.until("all is there", "window.opened")

    def opening(self, path):
        times = []
        for _ in range(6):
            self.open(path)
            times.append(self.page.run("opened"))
        self.judge("opening, wall", sorted(times[1:])[2], 300, " ms", timed=True)  # the first one also fills caches
        longest = self.longest_task(lambda: self.open(path))
        self.judge("longest task while opening, CPU", longest, 50, " ms", timed=True)
        self.judge("elements", self.page.run("document.querySelectorAll('*').length"), 1500)

    def send(self, path, rate, count):
        """Milliseconds of many commits until they are painted, and how often the page was painted."""
        # The page is asked nothing meanwhile, which would take time of its thread.
        self.browser.ask("Runtime.evaluate", expression=f"{SEND}({json.dumps(path[1:])}, {count}, {1000 / rate}, {self.entities})",
                         awaitPromise=True)
        print(f"    ok: {count} commits, {rate} a second, are painted", flush=True)
        return sorted(self.page.run("measured")), self.page.run("paints.length")

    def following(self, path, rates):
        for rate, count, median, worst in rates:
            begin = self.cpu()
            times, paints = self.send(path, rate, count)
            self.judge(f"a painted commit at {rate}/s, CPU", (self.cpu() - begin) / max(1, paints), 15, " ms", timed=True)
            if median:
                self.judge(f"commit to paint at {rate}/s, p50, wall", times[len(times) // 2], median, " ms", timed=True)
            self.judge(f"commit to paint at {rate}/s, p99, wall", times[math.ceil(len(times) * 0.99) - 1], worst, " ms", timed=True)
            longest = self.longest_task(lambda: self.send(path, rate, count // 2))
            self.judge(f"longest task at {rate}/s, CPU", longest, 50, " ms", timed=True)

    def stepping(self, steps):
        self.page.click("back")
        self.page.until("the first step is made, with the states that it needs", f"{find('now')}.getAttribute('aria-pressed') === 'false' && "
                        "(words => words.includes('→') && !words.includes('nothing'))(document.querySelector('.changes').textContent)")
        asked = lambda: sum("/state?" in one["url"] or "/actions?before" in one["url"] for one in self.page.requests())
        before, begin = asked(), self.cpu()
        self.browser.ask("Runtime.evaluate", awaitPromise=True, expression=f"""(async () => {{
            for (let i = 0; i < {steps}; i++) {{ document.getElementById('back').click(); await new Promise(requestAnimationFrame) }}
            await new Promise(requestAnimationFrame) }})()""")
        self.judge("a step in time, CPU", (self.cpu() - begin) / steps, 16, " ms", timed=True)
        self.judge("requests of the steps", asked() - before, 0)
        self.page.click("now")

    def memory(self):
        self.browser.ask("HeapProfiler.collectGarbage")
        self.judge("heap", self.browser.ask("Runtime.getHeapUsage")["usedSize"] / (1 << 20), 20, " MiB")

    def touched(self, path, entities):
        """Changes of the document for each commit."""
        count = 20
        self.open(path)
        self.page.run("window.touched = 0")
        for number in range(count):
            revision = self.page.act(path, "tasks/edit", id=1 + number % entities, title=f"Touched {number}")["revision"]
            self.page.shows("a commit is painted", "title", f"^#{revision} ")
        return self.page.run("touched") / count

    def size_does_not_matter(self):
        small = self.session(50, 100)
        large = self.session(self.entities, self.commits)
        touched = {name: self.touched(path, entities) for name, path, entities in [("small", small, 50), ("large", large, self.entities)]}
        self.judge("changes of the document for a commit", touched["large"], 250)
        self.judge("the same, as a part of those beside a small state", touched["large"] / touched["small"], 1.5)
        return large

    def run(self):
        path = self.size_does_not_matter()
        self.opening(path)
        self.stepping(100)
        self.following(path, [(1, 30, 20, 50), (10, 200, 20, 50), (50, 500, None, 100)] if self.full else [(10, 20, 20, 50)])
        self.judge("elements", self.page.run("document.querySelectorAll('*').length"), 1500)
        self.memory()


chromium, url, folder, *options = sys.argv[1:]
browser = Browser(chromium, folder)
try:
    browser.open("about:blank")
    browser.resize(1280, 800)
    browser.ask("Performance.enable", timeDomain="threadTicks")
    browser.ask("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
    budgets = Budgets(browser, Page(browser, url.rstrip("/")), "--full" in options)
    budgets.run()
    if budgets.faults:
        raise Failure("too much: " + "; ".join(budgets.faults))
except Failure as failure:
    sys.exit(f"the budgets of the inspector: {failure}")
finally:
    browser.end()
