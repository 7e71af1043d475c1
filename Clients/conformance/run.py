#!/usr/bin/env python3
"""Checks a client of Storehouse against the real server behind a faulty proxy. README.md says how to write a client for it.

    run.py PROGRAM [--client COMMAND] [NAME…]    scenarios, all of the client's capabilities or those named
    run.py PROGRAM --mutants [--client COMMAND]  the client with each of its planted faults, which must be noticed
    run.py PROGRAM --random RUNS [--seed SEED]   random runs, from a seed on; --entries N for small ones
"""
import argparse
import asyncio
import os
import pathlib
import random
import shlex
import signal
import sys
import time

from kit import worker
from kit.catalogue import scenarios, skips
from kit.client import Client
from kit.trace import Trace

HERE = pathlib.Path(__file__).resolve().parent
REFERENCE = [sys.executable, str(HERE / "reference_client.py")]
HASTE = 3  # real seconds that a broken client gets for each expectation
SHOWN = 300  # lines of a trace
TOLD = 200  # random runs after which it is told how far they are


class Kit:
    def __init__(self, program, command, count, folder):
        self.program, self.command, self.count, self.folder = os.path.abspath(program), command, count, folder

    def spread(self, jobs):
        return worker.spread(self.program, jobs, self.count, self.folder)

    async def hello(self):
        """What the client says of itself."""
        client = Client(self.command, Trace())
        await client.start()
        await client.close()
        return client.hello


def show(result):
    print("\n".join(result["trace"][-SHOWN:]), flush=True)


async def run_scenarios(kit, names, is_verbose):
    introduction = await kit.hello()
    has, skipped = set(introduction["capabilities"]), skips(introduction["name"])
    known = scenarios()
    chosen = [known[name] for name in names] if names else [
        scenario for scenario in known.values()
        if set(scenario.get("needs", [])) <= has and scenario["name"] not in skipped]
    failures, times = 0, {}
    results = kit.spread({"do": "scenario", "name": scenario["name"], "command": kit.command} for scenario in chosen)
    for scenario in chosen:
        result = await anext(results)
        times[scenario["name"]] = result["seconds"]
        if result["trouble"] or is_verbose:
            show(result)
            print(f"{'FAILED' if result['trouble'] else 'ok'} {scenario['group']}: {scenario['name']}: {result['trouble']}")
            failures += result["trouble"] is not None
    print(f"{len(chosen) - failures} of {len(chosen)} scenarios passed; {len(known) - len(chosen)} are not for this client")
    print("the slowest: " + ", ".join(f"{name} {times[name]:.1f} s" for name in sorted(times, key=times.get)[:-6:-1]))
    return failures


async def run_mutants(kit, names):
    """Each fault that the client can be given must be noticed by the scenario that names it."""
    faults = (await kit.hello()).get("faults", {})
    chosen = {name: faults[name] for name in names or faults}
    unseen = 0
    results = kit.spread(
        {"do": "scenario", "name": name, "command": [*kit.command, fault], "patience": HASTE} for fault, name in chosen.items())
    for fault, name in chosen.items():
        result = await anext(results)
        trouble = result["trouble"]
        print(f"{fault}: {'NOT NOTICED by ' + name if not trouble else f'{name}: {trouble[:150]}'} ({result['seconds']:.1f} s)")
        unseen += trouble is None
    print(f"{len(chosen) - unseen} of {len(chosen)} broken clients were noticed")
    return unseen


async def run_random(kit, runs, seed, most):
    capabilities = (await kit.hello())["capabilities"]
    failures, entries, began = 0, 0, time.monotonic()
    results = kit.spread(
        {"do": "random", "seed": number, "command": kit.command, "capabilities": capabilities, "most": most}
        for number in range(seed, seed + runs))
    done = 0
    try:
        async for result in results:
            number = seed + done
            done, entries = done + 1, entries + result["entries"]
            if result["trouble"]:
                failures += 1
                show(result)
                print(f"FAILED with seed {number}: {result['trouble']}")
                client = "" if kit.command == REFERENCE else f" --client {shlex.quote(shlex.join(kit.command))}"
                print(f"again: {sys.argv[0]} {sys.argv[1]}{client} --random 1 --seed {number} --entries {most}")
            if done % TOLD == 0 and done < runs:
                print(f"{done} runs after {time.monotonic() - began:.0f} s", flush=True)
    finally:
        print(f"{done - failures} of {done} random runs passed, with the seeds {seed} to {seed + done - 1} and {entries} entries, in "
              f"{time.monotonic() - began:.0f} s", flush=True)
    return failures


async def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--client", help="the command of the client under test")
    parser.add_argument("--mutants", action="store_true")
    parser.add_argument("--random", type=int, metavar="RUNS")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--entries", type=int, default=2000, help="the most entries of a random run (2000)")
    parser.add_argument("--at-once", type=int, default=(os.cpu_count() or 1) + 1, help="how many runs at a time (one more than processors)")
    parser.add_argument("--verbose", action="store_true", help="prints the trace of each scenario")
    parser.add_argument("--histories", metavar="FOLDER", help="keeps the history of each run there, for check_history.py")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_intermixed_args()
    if arguments.worker:
        return await worker.serve(arguments.program, arguments.histories)
    command = shlex.split(arguments.client) if arguments.client else REFERENCE
    # An end from outside ends the servers and clients too.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    kit = Kit(arguments.program, command, arguments.at_once, arguments.histories)
    if arguments.mutants:
        return await run_mutants(kit, arguments.names)
    if arguments.random is not None:
        return await run_random(kit, arguments.random, arguments.seed, arguments.entries)
    return await run_scenarios(kit, arguments.names, arguments.verbose)


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main()) else 0)
