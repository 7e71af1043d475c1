"""The client under test: a process that speaks JSON lines, and the clock that the kit keeps for it."""
import asyncio
import json
import signal

from . import quiet

PATIENCE = 10  # real seconds in which nothing happens at all until an expectation has failed
LONGEST = 60  # times as long an expectation may take while something happens
HAMMERED = 400  # requests without any time between them
GLANCE = 0.1  # real seconds of a look at a world that is at rest


class ClientFailed(Exception):
    """The process has ended, or does not answer."""


def new_view():
    return {"connection": None, "value": {}, "outcomes": {}, "reports": [], "tokens": []}


class Client:
    def __init__(self, command, trace, name="client", patience=PATIENCE):
        self.command, self.trace, self.name, self.patience = command, trace, name, patience
        self.now = 0
        self.timers = 0  # the most that it had at a time
        self.timer = None  # when the client wants to be woken
        self.hello = None
        self.view, self.tabs = new_view(), {}
        self.process = None
        self.heard = 0  # lines
        self.world = lambda: quiet.is_quiet(self.processes, lambda: self.heard)  # whether all is at rest
        self._answers, self._count = {}, 0
        self._news = asyncio.Event()

    async def start(self, spares=()):
        """Starts the process, or takes one over that another client has given away."""
        if spares:
            self.process, self.hello = spares.pop()
        else:
            self.hello = None
            self.process = await asyncio.create_subprocess_exec(
                *self.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 26)
        self._reader = asyncio.ensure_future(self._read(self.process.stdout))
        await self.until(lambda: self.hello)
        if self.now:
            await self.do("advance", to=self.now)

    async def _read(self, pipe):
        async for line in pipe:
            self._hear(json.loads(line))
        self.wake()

    def wake(self):
        self._news.set()
        self._news = asyncio.Event()

    @property
    def processes(self):
        return [self.process.pid] if self.process and self.process.returncode is None else []

    def _hear(self, message):
        self.heard += 1
        tab = self.tabs.get(message.pop("tab", None), self)
        kind, value = next(iter(message.items()))
        view = tab.view
        if kind == "done":
            self._answers[value] = message
        elif kind == "timer":
            self.timer = value
            self.timers = max(self.timers, message["count"])
        elif kind == "hello":
            self.hello = value
        else:
            if kind in ("connection", "value"):
                view[kind] = value
            elif kind == "outcome":
                view["outcomes"][value["entry"]] = value
            elif kind in ("report", "token"):
                view[kind + "s"].append(value)
            self.trace.add(kind, who=tab.name, **{kind: value})
        self.wake()

    async def until(self, is_true, within=0):
        """Waits until something is true. Meanwhile so many virtual milliseconds may pass, timer by timer, while nothing else happens."""
        end, still, watch = self.now + within, 0, self._watch()
        while not is_true():
            self._check_process()
            if still * GLANCE > self.patience or watch():
                return False
            if self.now < end:
                if await self.is_at_rest() and not is_true():
                    await self._advance(end if self.timer is None else min(end, max(self.timer, self.now)))
                    watch = self._watch()
            elif not await self._glance():
                still = 0
            elif await self.world():
                still += 1
        return True

    def _watch(self):
        """Tells whether a client is at work for too long, or hammers the server."""
        now, requests = asyncio.get_running_loop().time, self.trace.requests
        last = now() + LONGEST * self.patience
        return lambda: now() > last or self.trace.requests > requests + HAMMERED

    def _check_process(self):
        if self.process.returncode is not None and self._reader.done():
            raise ClientFailed(f"{self.name} has ended with {self.process.returncode}")

    async def _glance(self):
        """Whether there is no news for a moment."""
        try:
            await asyncio.wait_for(self._news.wait(), GLANCE)
        except asyncio.TimeoutError:
            return True
        return False

    async def is_at_rest(self):
        """Whether nothing can happen before time passes. The client is asked too, because it may have processes of its own."""
        if not await self.world():
            return False
        for _ in range(1 if quiet.IS_KNOWN else 10):
            await self.do("observe")
        return await self.world()

    async def rest(self):
        """Waits until nothing can happen before time passes."""
        watch = self._watch()
        while not await self.is_at_rest():
            if watch():
                raise ClientFailed(f"{self.name} does not come to rest")

    async def do(self, command, **members):
        """Sends a command, and returns the answer."""
        self._count += 1
        number = self._count
        self.process.stdin.write(json.dumps({"do": command, "id": number, **members}).encode() + b"\n")
        if not await self.until(lambda: number in self._answers):
            raise ClientFailed(f"{self.name} does not answer {command}")
        return self._answers.pop(number)

    async def _advance(self, to):
        self.now = to
        await self.do("advance", to=to)

    async def advance(self, milliseconds):
        """Lets time pass, timer by timer, and all happen that a timer leads to."""
        end = self.now + milliseconds
        await self.rest()
        while self.timer is not None and self.timer <= end:
            await self._advance(max(self.timer, self.now))
            await self.rest()
        await self._advance(end)

    async def sleep(self, milliseconds):
        """Lets time pass in which the client does nothing."""
        await self.rest()
        self.now += milliseconds
        await self.do("sleep", to=self.now)

    async def kill(self):
        if self.process and self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
        await self.process.wait()
        await self._reader
        self.timer = None
        for tab in (self, *self.tabs.values()):
            tab.view |= {"connection": None, "value": {}}

    async def give_away(self, spares):
        """Makes its process as a new one is, for another client."""
        await self.do("reset")
        self._reader.cancel()
        await asyncio.wait([self._reader])
        spares.append((self.process, self.hello))
        self.process = None

    async def close(self):
        if self.process:
            await self.kill()


class Tab:
    """Another tab of the browser whose first tab is the client. It has its view, and all else of the client."""

    def __init__(self, client, name):
        self.client, self.name, self.view = client, name, new_view()
        client.tabs[name] = self

    def __getattr__(self, name):
        return getattr(self.client, name)

    async def do(self, command, **members):
        return await self.client.do(command, tab=self.name, **members)
