"""Entries that wait, in memory or on disk: one line for each thing that happens to them."""
import json
import os

MOST = 1000


class OutboxFull(Exception):
    """The outbox takes no more entries."""


class DiskFull(Exception):
    """An entry cannot be stored, so that it is not sent."""


class MemoryOutbox:
    def __init__(self):
        self._count = 0

    def load(self):
        return None

    def cache(self):
        return None

    def begin(self, client, entries=()):
        pass

    def append(self, entry, is_kept):
        if self._count >= MOST:
            raise OutboxFull
        self._count += 1

    def sent(self, number):
        pass

    def save(self, confirmed):
        pass

    def remove(self, entry):
        self._count -= 1

    def sign_out(self):
        pass


class Outbox(MemoryOutbox):
    """A file for each identity. A line that is torn at the end of the file never happened."""

    def __init__(self, folder, identity, faults):
        super().__init__()
        os.makedirs(folder, exist_ok=True)
        self.is_full, self.faults = False, faults  # the disk, as the scenario says
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
        if is_kept and self.is_full and "send-unstored" not in self.faults:
            raise DiskFull
        super().append(entry, is_kept)
        if is_kept:
            value = {"number": entry.number, "name": entry.name, "actions": entry.actions, "if_match": entry.if_match}
            self._write("entry", value)

    def sent(self, number):
        self._write("sent", number)

    def remove(self, entry):
        super().remove(entry)
        self._write("done", entry.number)

    def save(self, confirmed):
        """Keeps the confirmed state for the first paint of the next process."""
        if self.is_full:
            return
        with open(self._path + ".new", "w") as file:
            json.dump(confirmed, file)
        os.replace(self._path + ".new", self._path + ".cache")

    def cache(self):
        try:
            with open(self._path + ".cache") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def sign_out(self):
        for path in (self._path, self._path + ".cache"):
            if os.path.exists(path):
                os.remove(path)

    def _write(self, kind, value):
        if self.is_full:
            return  # what is lost is found out again from the server
        with open(self._path, "ab") as file:
            file.write(json.dumps([kind, value]).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
