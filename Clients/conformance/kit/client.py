"""The client under test: a process that speaks JSON lines, and the clock that the kit keeps for it."""
import asyncio
import json
import signal

PATIENCE = 10  # real seconds until a client that does not answer has failed
LONGEST = 60  # real seconds for one expectation
QUIET = 0.03  # real seconds without news after which a waiting runner lets the virtual time go on


class ClientFailed(Exception):
    """The process has ended, or does not answer."""


class Client:
    def __init__(self, command, trace, name="client", patience=PATIENCE):
        self.command, self.trace, self.name, self.patience = command, trace, name, patience
        self.now = 0
        self.timers = 0  # the most that it had at a time
        self.timer = None  # when the client wants to be woken
        self.hello = None
        self.view = {"connection": None, "value": {}, "outcomes": {}, "reports": [], "tokens": []}
        self.process = None
        self._answers, self._count = {}, 0
        self._news = asyncio.Event()

    async def start(self):
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

    def _hear(self, message):
        kind, value = next(iter(message.items()))
        view = self.view
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
            self.trace.add(kind, who=self.name, **{kind: value})
        self.wake()

    async def until(self, is_true, within=0, idle=lambda: True):
        """Waits until something is true. Meanwhile so many virtual milliseconds may pass, timer by timer, while nothing else happens."""
        loop, end = asyncio.get_running_loop(), self.now + within
        deadline = loop.time() + self.patience
        last = loop.time() + LONGEST
        while not is_true():
            if self.process.returncode is not None and self._reader.done():
                raise ClientFailed(f"{self.name} has ended with {self.process.returncode}")
            if loop.time() > min(deadline, last):
                return False
            try:
                await asyncio.wait_for(self._news.wait(), QUIET if within else 1)
                deadline = loop.time() + self.patience
            except asyncio.TimeoutError:
                if self.now < end and idle() and await self._is_quiet(idle):
                    await self._advance(end if self.timer is None else min(end, max(self.timer, self.now)))
                    deadline = loop.time() + self.patience
        return True

    async def _is_quiet(self, idle):
        """Whether the client has nothing to tell, also of what it may have been about to read."""
        heard = len(self.trace.items)
        for _ in range(10):
            await self.do("observe")
        return idle() and heard == len(self.trace.items)

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
        """Lets time pass, timer by timer."""
        end = self.now + milliseconds
        while self.timer is not None and self.timer <= end:
            await self._advance(max(self.timer, self.now))
        await self._advance(end)

    async def sleep(self, milliseconds):
        """Lets time pass in which the client does nothing."""
        self.now += milliseconds
        await self.do("sleep", to=self.now)

    async def kill(self):
        if self.process and self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
        await self.process.wait()
        await self._reader
        self.timer = None
        self.view |= {"connection": None, "value": {}}

    async def close(self):
        if self.process:
            await self.kill()
