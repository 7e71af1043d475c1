"""Entries that wait, in memory or on disk: one line for each thing that happens to them."""
import json
import os

MOST = 1000


class OutboxFull(Exception):
    """The outbox takes no more entries."""


class MemoryOutbox:
    def __init__(self):
        self._count = 0

    def load(self):
        return None

    def begin(self, client, entries=()):
        pass

    def append(self, entry, is_kept):
        if self._count >= MOST:
            raise OutboxFull
        self._count += 1

    def sent(self, number):
        pass

    def remove(self, entry):
        self._count -= 1

    def sign_out(self):
        pass


class Outbox(MemoryOutbox):
    """A file for each identity. A line that is torn at the end of the file never happened."""

    def __init__(self, folder, identity):
        super().__init__()
        os.makedirs(folder, exist_ok=True)
        self._path = os.path.join(folder, "".join(c if c.isalnum() else "-" for c in json.dumps(identity)))

    def load(self):
        if not os.path.exists(self._path):
            return None
        saved, rows = {"client": None, "sent": 0, "last": 0}, {}
        with open(self._path, "rb") as file:
            data = file.read()
        whole = data[:data.rfind(b"\n") + 1]
        for line in whole.splitlines():
            kind, value = json.loads(line)
            if kind == "begin":
                saved, rows = {"client": value, "sent": 0, "last": 0}, {}
            elif kind == "entry":
                rows[value["number"]] = value
                saved["last"] = value["number"]
            elif kind == "sent":
                saved["sent"] = value
            else:
                rows.pop(value, None)
        with open(self._path, "r+b") as file:
            file.truncate(len(whole))
        self._count = len(rows)
        return saved | {"rows": list(rows.values())} if saved["client"] else None

    def begin(self, client, entries=()):
        self._count = 0
        self._write("begin", client)
        for entry in entries:
            self.append(entry, True)

    def append(self, entry, is_kept):
        super().append(entry, is_kept)
        if is_kept:
            value = {"number": entry.number, "name": entry.name, "actions": entry.actions, "if_match": entry.if_match}
            self._write("entry", value)

    def sent(self, number):
        self._write("sent", number)

    def remove(self, entry):
        super().remove(entry)
        self._write("done", entry.number)

    def sign_out(self):
        os.remove(self._path)

    def _write(self, kind, value):
        with open(self._path, "ab") as file:
            file.write(json.dumps([kind, value]).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
