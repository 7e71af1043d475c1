#!/usr/bin/env python3
"""Says which invariants hold for a recorded history: JSON lines, as README.md describes them under "Histories".

    check_history.py FILE [--grows POINTER]    exit status 1 if one is broken, 2 if the file cannot be read
"""
import argparse
import json
import sys

from kit import invariants
from kit.history import History, Malformed, read

SHOWN = 5  # of what is wrong with an invariant


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("file")
    parser.add_argument("--grows", metavar="POINTER", help="a JSON Pointer to a number that only grows on the screen")
    arguments = parser.parse_args()
    try:
        history = History(read(arguments.file))
    except (OSError, Malformed, json.JSONDecodeError) as error:
        print(f"{arguments.file}: {error}", file=sys.stderr)
        return 2
    broken = 0
    for name, problems in invariants.verdicts(history, arguments.grows).items():
        print(f"{'BROKEN' if problems else 'holds '} {name}")
        for problem in problems[:SHOWN]:
            print(f"       {problem}")
        broken += bool(problems)
    print(f"{len(history.requests)} requests, {len(history.answers)} answers, {len(history.logs)} histories of the server, "
          f"{len(history.seen)} clients that told what they showed")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
