#!/usr/bin/env python3
"""Checks a client of Storehouse against the real server behind a faulty proxy. README.md says how to write a client for it.

    run.py PROGRAM [--client COMMAND] [NAME…]    scenarios, all of the client's capabilities or those named
    run.py PROGRAM --mutants                     the broken reference clients, each of which must be noticed
    run.py PROGRAM --random RUNS [--seed SEED]   random runs, from a seed on
"""
import argparse
import ast
import asyncio
import os
import pathlib
import random
import shlex
import signal
import sys
import tempfile
import time

from kit.client import PATIENCE, Client, ClientFailed
from kit.invariants import Broken
from kit.random_runs import RandomRun
from kit.scenario import Failed, Run
from kit.server import Server
from kit.trace import Trace
from reference.mutants import MUTANTS

HERE = pathlib.Path(__file__).resolve().parent
REFERENCE = [sys.executable, str(HERE / "reference_client.py")]
TROUBLES = (Failed, Broken, ClientFailed)
AT_ONCE = 4
HASTE = 3  # real seconds that a broken client gets for each expectation


def scenarios():
    """All scenarios by name, in the order of the files."""
    found = {}
    for path in sorted((HERE / "scenarios").glob("*.txt")):
        for scenario in ast.literal_eval(path.read_text()):
            assert scenario["name"] not in found, scenario["name"]
            found[scenario["name"]] = scenario | {"group": path.stem}
    return found


def skips(name):
    """The scenarios that a client skips although it has their capabilities."""
    path = HERE / "skips" / f"{name}.txt"
    return {line.split("#")[0].strip() for line in path.read_text().splitlines()} - {""} if path.exists() else set()


class Kit:
    def __init__(self, program, command):
        self.program, self.command = os.path.abspath(program), command
        self.shared, self.times = None, {}

    async def __aenter__(self):
        self.shared = Server(self.program)
        await self.shared.start()
        return self

    async def __aexit__(self, *_):
        await self.shared.close()

    async def run(self, scenario, command=None, patience=PATIENCE):
        """Nothing if the client passes, otherwise its trouble; and the trace."""
        server = self.shared
        if "server" in scenario:
            options = dict(scenario["server"])
            server = Server(self.program, options.pop("storage", "memory"), options)
        with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
            run = Run(server, command or self.command, scenario, folder, patience)
            began = time.monotonic()
            try:
                if server is not self.shared:
                    await server.start()
                await run.run()
                return None, run.trace
            except TROUBLES as trouble:
                return trouble, run.trace
            finally:
                self.times[scenario["name"]] = time.monotonic() - began
                if server is not self.shared:
                    await server.close()


async def in_parallel(jobs):
    """Runs the jobs some at a time, and yields their results in order."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def gated(job):
        async with gate:
            return await job()

    tasks = [asyncio.ensure_future(gated(job)) for job in jobs]
    for task in tasks:
        yield await task


async def hello(kit):
    """What the client says of itself."""
    client = Client(kit.command, Trace())
    await client.start()
    await client.close()
    return client.hello


async def run_scenarios(kit, names, is_verbose):
    introduction = await hello(kit)
    has, skipped = set(introduction["capabilities"]), skips(introduction["name"])
    known = scenarios()
    chosen = [known[name] for name in names] if names else [
        scenario for scenario in known.values()
        if set(scenario.get("needs", [])) <= has and scenario["name"] not in skipped]
    failures = 0
    results = in_parallel([lambda scenario=scenario: kit.run(scenario) for scenario in chosen])
    for scenario in chosen:
        trouble, trace = await anext(results)
        if trouble or is_verbose:
            print(f"{'FAILED' if trouble else 'ok'} {scenario['group']}: {scenario['name']}: {trouble}")
            print("\n".join(trace.lines()))
            failures += trouble is not None
    print(f"{len(chosen) - failures} of {len(chosen)} scenarios passed; {len(known) - len(chosen)} are not for this client")
    print("the slowest: " + ", ".join(f"{name} {kit.times[name]:.1f} s" for name in sorted(kit.times, key=kit.times.get)[:-6:-1]))
    return failures


async def run_mutants(kit, names):
    """Each fault of the reference client must be noticed by the scenario that names it."""
    known, chosen = scenarios(), {name: MUTANTS[name] for name in names or MUTANTS}
    unseen = 0
    results = in_parallel([
        lambda fault=fault, name=name: kit.run(known[name], [*REFERENCE, fault], HASTE) for fault, name in chosen.items()])
    for fault, name in chosen.items():
        trouble, _ = await anext(results)
        print(f"{fault}: {'NOT NOTICED by ' + name if not trouble else f'{name}: {str(trouble)[:150]}'}")
        unseen += trouble is None
    print(f"{len(chosen) - unseen} of {len(chosen)} broken clients were noticed")
    return unseen


async def run_random(kit, runs, seed, most):
    capabilities = (await hello(kit))["capabilities"]
    failures, began = 0, time.monotonic()
    results = in_parallel([
        lambda number=number: RandomRun(kit.program, kit.command, number, capabilities, most).attempt(TROUBLES) for number in range(seed, seed + runs)])
    entries = 0
    for number in range(seed, seed + runs):
        trouble, run = await anext(results)
        entries += run.sent
        if trouble:
            failures += 1
            print(f"FAILED with seed {number}: {trouble}")
            print("\n".join(run.trace.lines()))
    print(f"{runs - failures} of {runs} random runs passed, from seed {seed} on, with {entries} entries in "
          f"{time.monotonic() - began:.0f} s")
    return failures


async def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--client", help="the command of the client under test")
    parser.add_argument("--mutants", action="store_true")
    parser.add_argument("--random", type=int, metavar="RUNS")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--entries", type=int, default=2000, help="the most entries of a random run (2000)")
    parser.add_argument("--verbose", action="store_true", help="prints the trace of each scenario")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_intermixed_args()
    command = shlex.split(arguments.client) if arguments.client else REFERENCE
    # An end from outside ends the servers and clients too.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    async with Kit(arguments.program, command) as kit:
        if arguments.mutants:
            return await run_mutants(kit, arguments.names)
        if arguments.random is not None:
            return await run_random(kit, arguments.random, arguments.seed, arguments.entries)
        return await run_scenarios(kit, arguments.names, arguments.verbose)


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main()) else 0)
