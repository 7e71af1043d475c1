"""Server-sent events, from bytes that are cut anywhere."""
import json

LARGEST = 1 << 26  # bytes of an event; a proxy that never sends an empty line must not fill the memory


class Parser:
    def __init__(self, faults):
        self._faults = faults
        self._bytes = b""
        self._ends_in_cr = self._has_begun = False
        self._clear()
        self.id = self.retry = None

    def _clear(self):
        self._name, self._data, self._size = "message", [], 0

    def feed(self, data):
        """The events that end in these bytes, as name, data and id."""
        if "decode-each-piece" in self._faults:
            data = data.decode(errors="replace").encode()
        events = []
        for line in self._lines(data):
            if line:
                self._size += len(line)
                self._field(line.decode(errors="replace"))
            elif self._data:
                events.append((self._name, json.loads("\n".join(self._data)), self.id))
                self._clear()
            else:
                self._clear()
        if len(self._bytes) + self._size > LARGEST and "endless-event" not in self._faults:
            raise ValueError("an event is too large")
        return events

    def _lines(self, data):
        followed, self._ends_in_cr = self._ends_in_cr, data.endswith(b"\r")
        if followed and data.startswith(b"\n"):
            data = data[1:]
        if "only-line-feeds" not in self._faults:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, self._bytes = (self._bytes + data).split(b"\n")
        for line in lines:
            if not self._has_begun:
                self._has_begun, line = True, line.removeprefix(b"\xef\xbb\xbf")
            yield line

    def _field(self, line):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self.id = value
        elif name == "retry" and value.isdigit():
            self.retry = int(value)
