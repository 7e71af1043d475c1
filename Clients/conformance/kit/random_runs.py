"""Random runs: clients, entries and faults as a seed says. The network decides the rest, so that a seed makes no two equal runs."""
import random
import tempfile

from .scenario import Run
from .server import Server

PEACE = 60_000  # virtual milliseconds in which a client must be equal to the server once the faults are over
HTML = "<!doctype html><h1>Sign in</h1>"


def problem(status, code, seconds=None):
    headers = {} if seconds is None else {"retry-after": str(seconds)}
    return {"do": "answer", "status": status, "headers": headers, "body": {"status": status, "code": code}}


class RandomRun(Run):
    def __init__(self, program, command, seed, capabilities, most):
        self.random = random.Random(seed)
        self.capabilities = capabilities
        storage = self.random.choice(["memory", "sqlite"])
        self.place = tempfile.TemporaryDirectory(prefix="conformance-")
        super().__init__(Server(program, storage, {"storage.keepCommits": 100_000}), command, {"steps": [], "grows": "/counter/count"}, self.place.name)
        self.rate = self.random.choice([0.02, 0.1, 0.3])
        self.left = min(most, self.random.choice([200, 200, 200, 300, 500, 2000]))
        self.sent = self.count = 0
        self.lost = []  # histories that went with a server in memory
        self.selections = ["none"]

    async def run(self):
        try:
            await self.server.start()
            await super().run()
        finally:
            await self.server.close()
            self.place.cleanup()

    # ---- Faults

    def _choose(self, request):
        if self.random.random() > self.rate:
            return {"do": "delay", "seconds": self.random.random() * 0.004} if self.random.random() < 0.3 else {}
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
        await self.server.restart()
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
        count = self.random.choice([2, 2, 3, 5])
        return [f"c{number}" for number in range(1, count + 1)]

    async def _enter(self, name):
        if name == "client":
            for member in self._members():
                await super()._enter(member)
                self.client.is_on_disk = "disk" in self.capabilities and self.random.random() < 0.5
                options = {"create": True, "random": [self.random.random() for _ in range(7)]}
                await self._do_connect(options | ({"storage": member} if self.client.is_on_disk else {}))
            self.proxy.chooser = self._choose
            return
        await super()._enter(name)

    async def steps(self):
        while self.sent < self.left:
            self.client = self.random.choice(list(self.clients.values()))
            await self._one_step(self.random.random())
        await self._peace()

    async def _one_step(self, choice):
        if choice < 0.75:
            await self._send()
        elif choice < 0.8:
            await self._foreign()
        elif choice < 0.92:
            await self.client.advance(self.random.choice([10, 100, 1000, 5000]))
        elif choice < 0.95:
            self.proxy.cut()
        elif choice < 0.96:
            await self.client.sleep(self.random.choice([1000, 20_000, 3_600_000]))
        elif choice < 0.97 and "visibility" in self.capabilities:
            await self.client.do(self.random.choice(["hide", "show", "offline", "online"]))
        elif choice < 0.98 and self.client.is_on_disk:
            await self._do_kill()
            await self._do_open()
        elif choice < 0.985 and self.random.random() < 0.3:
            await self._restart_server()

    async def _foreign(self):
        action = self._actions(f"counter/increment by={self._number()}")
        await self.session.act(action)

    async def _peace(self):
        """All faults are over, and the page is visible."""
        self.proxy.chooser = None
        self.proxy.cut()
        for client in self.clients.values():
            if "visibility" in self.capabilities:
                await client.do("show")
                await client.do("online")
        for client in self.clients.values():
            self.client = client
            await self._await({"pending": [], "connection": "live"}, PEACE)

    async def attempt(self, troubles):
        """The trouble, if there is any, and the run."""
        try:
            await self.run()
            return None, self
        except troubles as trouble:
            return trouble, self
