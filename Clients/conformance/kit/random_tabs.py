"""Random runs in which some clients are browsers with two tabs. A run without such a client is as it would be without this file."""
import random

from .client import Tab
from .scenario import Run

MOST = 2  # tabs that a browser has open at a time


class Browser:
    """The tabs of a client, which share its storage."""

    def __init__(self, client):
        self.client, self.count = client, 1
        self.open, self.frozen = [client], set()

    @property
    def awake(self):
        return [tab for tab in self.open if tab not in self.frozen]


class TabbedRun(Run):
    """Tabs are opened, shut, frozen and thawed. The process of a browser is not killed, because nobody could say then which tab sent what."""

    def __init__(self, server, command, folder, seed, capabilities):
        super().__init__(server, command, {"steps": [], "grows": "/counter/count"}, folder)
        self.capabilities, self.browsers = capabilities, {}
        self.tab_random = random.Random(f"{seed} tabs")

    def perhaps_a_browser(self):
        """The client that has just been made may get tabs."""
        if "tabs" in self.capabilities and self.client.is_on_disk and self.tab_random.random() < 0.5:
            self.browsers[self.client.name] = Browser(self.client)

    def has_tabs(self, client):
        return any(client in browser.open for browser in self.browsers.values())

    @property
    def processes(self):
        """For each process its tabs that can be told something; a client that is no browser is one."""
        return [
            self.browsers[name].awake if name in self.browsers else [client]
            for name, client in self.clients.items() if not isinstance(client, Tab)]

    @property
    def awake(self):
        return [tab for tabs in self.processes for tab in tabs]

    async def tab_step(self):
        if not self.browsers or self.tab_random.random() > 0.2:
            return
        browser = self.tab_random.choice(list(self.browsers.values()))
        tab, choice = self.tab_random.choice(browser.open), self.tab_random.random()
        if tab in browser.frozen:
            await self._thaw(browser, tab)
        elif len(browser.open) < MOST:
            await self._add(browser)
        elif len(self.awake) == 1:
            pass  # somebody must go on
        elif choice < 0.6:
            browser.frozen.add(tab)
            await tab.do("freeze")
            await tab.rest()
            self.proxy.leave()
        else:
            browser.open.remove(tab)
            self.client = tab
            await self._do_shut()

    async def _add(self, browser):
        browser.count += 1
        name = f"{browser.client.name}-{browser.count}"
        self.client = tab = Tab(browser.client, name)
        tab.error = None
        self.clients[name], self.entries[name] = tab, {}
        browser.open.append(tab)
        await self._do_connect({"create": True, "random": [self.tab_random.random() for _ in range(7)], "storage": browser.client.name})

    async def _thaw(self, browser, tab):
        browser.frozen.remove(tab)
        await tab.do("thaw")

    async def thaw_all(self):
        for browser in self.browsers.values():
            for tab in list(browser.frozen):
                await self._thaw(browser, tab)
