"""Records what clients and servers say to each other, as the lines of a history. Clients/conformance/README.md describes them."""

import itertools
import json
import time


class Recorder:
    """Any thread may use it."""

    def __init__(self):
        self.lines, self._numbers, self._begin = [], itertools.count(1), time.monotonic()

    def _add(self, kind, **members):
        self.lines.append({"kind": kind, "at": round((time.monotonic() - self._begin) * 1000), **members})

    def request(self, method, path, body=None, seen=None):
        """The number of the request, which its answer and its events name."""
        number = next(self._numbers)
        self._add("request", id=number, method=method, path=path, body=body, lastEventId=seen)
        return number

    def answer(self, number, status, body):
        self._add("answer", id=number, status=status, body=body)

    def event(self, number, name, event_id, data):
        self._add("event", id=number, type=name, eventId=event_id, data=data)

    def acted(self, *actions):
        """Records actions that no recorded request has."""
        self._add("acted", actions=actions)


def log_line(history, first, actions):
    """The line of a session with the state at revision 0, and all of its log with changes."""
    return {"kind": "log", "history": history, "first": first, "actions": actions}


def save(lines, path):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
