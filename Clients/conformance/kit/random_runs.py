"""Random runs: clients, entries and faults as a seed says. The network decides the rest, so that a seed makes no two equal runs."""
import random
import signal

from .client import Tab
from .random_tabs import TabbedRun

SOON = 5000  # virtual milliseconds in which a client is equal to the server once it hears that the network is back
PEACE = 95_000  # the same without a word: a request and two pauses may last 30 seconds each
SMALL = 100  # entries of a run that has few clients
HTML = "<!doctype html><h1>Sign in</h1>"


def problem(status, code, seconds=None):
    headers = {} if seconds is None else {"retry-after": str(seconds)}
    return {"do": "answer", "status": status, "headers": headers, "body": {"status": status, "code": code}}


class RandomRun(TabbedRun):
    def __init__(self, server, command, folder, seed, capabilities, most):
        super().__init__(server, command, folder, seed, capabilities)
        self.random = random.Random(seed)
        self.rate = self.random.choice([0.02, 0.1, 0.3])
        self.left = min(most, self.random.choice([200, 200, 200, 300, 500, 2000]))
        self.sent = self.count = 0
        self.lost = []  # histories that went with a server in memory
        self.selections = ["none"]

    @staticmethod
    def place(seed):
        """The storage and the settings of the server of a run."""
        return ("memory", "sqlite", "redis")[seed % 3], {"storage.keepCommits": 100_000}

    # ---- Faults

    def _choose(self, request):
        if self.random.random() > self.rate:
            return {"do": self.random.choice(["hold", "holdAnswer"])} if self.random.random() < 0.1 else {}
        faults = [
            {"do": "refuse"}, {"do": "lose"}, {"do": "lose"}, {"do": "silent"}, problem(429, "rate-limited", 2), problem(500, "internal-error"),
            problem(503, "draining", 1), {"do": "answer", "status": 502, "body": HTML}, {"do": "answer", "status": 200, "body": HTML},
        ]
        if request.name == "events":
            faults = [fault for fault in faults if fault["do"] != "lose"]
            faults += [{"do": "bytes"}, {"do": "cutAfter", "bytes": self.random.randrange(4000)}] * 3
        elif request.name == "sync":
            faults += [{"do": "twice"}, {"do": "bytes"}, {"do": "cutAfter", "bytes": self.random.randrange(400)}] * 2
        return self.random.choice(faults)

    async def _restart_server(self):
        """In memory all is lost; the log until then is kept for the comparison."""
        if self.server.storage == "memory":
            await self.proxy.block()
            self.lost += await super().histories()
        # A node on Redis that is killed takes some real seconds to get its sessions back.
        is_gentle = self.server.storage == "redis" and self.random.random() < 0.8
        await self.server.stop(signal.SIGTERM if is_gentle else signal.SIGKILL)
        await self.server.start()
        await self.session.served()  # no virtual time passes meanwhile
        self.proxy.unblock()

    async def histories(self):
        return self.lost + await super().histories()

    # ---- Entries

    def _number(self):
        self.count += 1
        return self.count

    def _action(self):
        number, choice = self._number(), self.random.random()
        if choice < 0.3:
            self.selections.append(f"s{number}")
            return f"betslip/addSelection id=s{number} event=e outcome=o odds=200"
        some = self.random.choice(self.selections[-8:])
        if choice < 0.55:
            return f"betslip/setStake id={some} stake={number}"
        if choice < 0.65:
            return f"betslip/removeSelection id={some}"
        if choice < 0.9:
            return f"user/balanceIncrease value={1000 + number}"
        return self.random.choice(["betslip/placeBet", "animal/ackError", "counter/explode", f"tasks/add title=t{number}"])

    async def _send(self):
        count = self.random.choice([1, 1, 1, 1, 2, 5])
        condition = None
        if self.random.random() < 0.5:
            # The server never refuses these, so that the counter on the screen only grows.
            actions = [f"counter/increment by={self._number()}" for _ in range(count)]
        else:
            actions = [self._action() for _ in range(count)]
            condition = "confirmed" if self.random.random() < 0.05 and self.client.view["value"].get("history") else None
        self.sent += 1
        await self._do_send(f"e{self.sent}", actions if count > 1 else actions[0], condition)

    # ---- The run

    def _members(self):
        count = self.random.choice([2, 2, 2, 3] if self.left <= SMALL else [2, 2, 3, 5])
        return [f"c{number}" for number in range(1, count + 1)]

    async def _enter(self, name):
        if name == "client":
            for member in self._members():
                await super()._enter(member)
                self.client.is_on_disk = "disk" in self.capabilities and self.random.random() < 0.5
                options = {"create": True, "random": [self.random.random() for _ in range(7)]}
                await self._do_connect(options | ({"storage": member} if self.client.is_on_disk else {}))
                self.perhaps_a_browser()
            self.proxy.chooser = self._choose
            return
        await super()._enter(name)

    async def _check(self):
        await super()._check()
        if "reset" in self.capabilities:
            for client in [client for client in self.clients.values() if not isinstance(client, Tab)]:
                await client.give_away(self.spares)

    async def steps(self):
        while self.sent < self.left:
            await self.tab_step()
            self.client = self.random.choice(self.awake)
            await self._one_step(self.random.random())
        await self._peace()

    async def _one_step(self, choice):
        if choice < 0.75:
            await self._send()
        elif choice < 0.8:
            await self._foreign()
        elif choice < 0.88:
            await self.client.advance(self.random.choice([10, 100, 1000, 5000]))
        elif choice < 0.92:
            self.proxy.release()
        elif choice < 0.95:
            self.proxy.cut()
        elif choice < 0.96:
            await self.client.sleep(self.random.choice([1000, 20_000, 3_600_000]))
        elif choice < 0.975:
            if "visibility" in self.capabilities:
                await self.client.do(self.random.choice(["hide", "show", "offline", "online"]))
        elif choice < 0.99:
            if self.client.is_on_disk and not self.has_tabs(self.client):
                await self._do_kill()
                await self._do_open()
        elif choice < 0.994:
            await self._restart_server()

    async def _foreign(self):
        action = self._actions(f"counter/increment by={self._number()}")
        self.acted.append(action)
        await self.session.act(action)

    async def _peace(self):
        """All faults are over, and the page is visible."""
        self.proxy.heal()
        is_told = "visibility" in self.capabilities and self.random.random() < 0.5
        if is_told:
            self.proxy.hang_up()
        self.proxy.cut()
        await self.thaw_all()
        for tabs in self.processes:
            for tab in tabs if "visibility" in self.capabilities else []:
                await tab.rest()
                await tab.do("show")
                await tab.do("online")
            for self.client in tabs:
                await self._await({"pending": [], "connection": "live"}, SOON if is_told else PEACE)
