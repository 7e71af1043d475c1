"""Runs scenarios and random runs, one after the other. A worker is a process of its own, so that none waits for the work of another."""
import asyncio
import contextlib
import itertools
import json
import pathlib
import sys
import tempfile
import time

from . import catalogue
from .client import PATIENCE, ClientFailed
from .invariants import Broken
from .random_runs import RandomRun
from .scenario import Failed, Run
from .server import Cluster, Server

TROUBLES = (Failed, Broken, ClientFailed)


class Worker:
    def __init__(self, program, folder):
        self.program, self.folder, self.servers = program, folder, {}
        self.spares = {}  # processes of clients that wait for the next random run, by their commands

    @contextlib.asynccontextmanager
    async def server(self, storage="memory", settings=None, nodes=1):
        """A server that nobody else uses. It stays for the next run with the same settings."""
        key = json.dumps([storage, settings or {}, nodes], sort_keys=True)
        server = self.servers.pop(key, None)
        server = server or (Server(self.program, storage, settings) if nodes == 1 else Cluster(self.program, nodes, settings))
        try:
            await server.ready()
            yield server
            self.servers[key] = server
        finally:
            if key not in self.servers:
                await server.close()

    async def close(self):
        for server in self.servers.values():
            await server.close()
        for process, _ in itertools.chain(*self.spares.values()):
            process.kill()
            await process.wait()

    async def scenario(self, name, command, patience=PATIENCE):
        scenario = catalogue.scenarios()[name]
        options = dict(scenario.get("server", {}))
        storage, nodes = options.pop("storage", "memory"), options.pop("nodes", 1)
        with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
            async with self.server(storage, options, nodes) as server:
                return await self._attempt(name, Run(server, command, scenario, folder, patience))

    async def random(self, seed, command, capabilities, most):
        with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
            async with self.server(*RandomRun.place(seed)) as server:
                run = RandomRun(server, command, folder, seed, capabilities, most)
                run.spares = self.spares.setdefault(tuple(command), [])
                return await self._attempt(seed, run) | {"entries": run.sent}

    async def _attempt(self, name, run):
        began, trouble = time.monotonic(), None
        try:
            await run.run()
        except TROUBLES as error:
            trouble = str(error)
        if self.folder:
            lines = run.lines or run.trace.history(run, [])
            pathlib.Path(self.folder, f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return {"trouble": trouble, "seconds": time.monotonic() - began, "trace": list(run.trace.lines())}


async def serve(program, folder):
    """Takes jobs as lines from standard input until it ends."""
    reader = asyncio.StreamReader(limit=1 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    worker, main = Worker(program, folder), asyncio.current_task()
    jobs = asyncio.Queue()

    async def listen():
        while line := await reader.readline():
            jobs.put_nowait(json.loads(line))
        jobs.put_nowait(None)  # in case that a wait which ends in this moment swallows what comes next
        main.cancel()  # whoever asked is gone, so that nobody waits for what runs

    listener = asyncio.ensure_future(listen())
    try:
        while job := await jobs.get():
            answer = await getattr(worker, job.pop("do"))(**job)
            print(json.dumps(answer), flush=True)
    except asyncio.CancelledError:
        pass
    finally:
        listener.cancel()
        await worker.close()


async def _start(program, folder):
    options = ["--histories", folder] if folder else []
    return await asyncio.create_subprocess_exec(
        sys.executable, sys.argv[0], program, "--worker", *options, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 28)


async def spread(program, jobs, count, folder=None):
    """Gives the jobs to so many workers, and yields the answers in the order of the jobs."""
    jobs = list(jobs)
    answers = [asyncio.get_running_loop().create_future() for _ in jobs]
    waiting = iter(list(zip(jobs, answers)))

    async def employ():
        process = None
        try:
            for job, answer in waiting:
                process = process or await _start(program, folder)
                process.stdin.write(json.dumps(job).encode() + b"\n")
                line = await process.stdout.readline()
                if not line:
                    process = None
                answer.set_result(json.loads(line) if line else {"trouble": "the worker has ended", "seconds": 0, "trace": [], "entries": 0})
        finally:
            if process:
                process.stdin.close()
                await process.wait()

    workers = [asyncio.ensure_future(employ()) for _ in range(min(count, len(jobs)))]
    try:
        for answer in answers:
            yield await answer
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
