"""Reads the bytes of commits, as they are in the tables `unsorted` and `segments`."""


def commits(data):
    """The commits in these bytes, as the rows that the table `commits` of version 5 had."""
    reader = _Reader(data)
    while not reader.is_at_end:
        session, revision, at = reader.number(), reader.number(), reader.number()
        kind, payload, origin = reader.text(), reader.text(), reader.text()
        cause = reader.number() if reader.number() else None
        changes = reader.text()
        hidden = reader.text() if reader.number() else None
        yield session, revision, at, kind, payload, origin, cause, changes, hidden, reader.checksum()


class _Reader:
    def __init__(self, data):
        self.data, self.position = data, 0

    @property
    def is_at_end(self):
        return self.position == len(self.data)

    def number(self):
        """A number in LEB128."""
        number, shift = 0, 0
        while True:
            byte = self.data[self.position]
            self.position += 1
            number |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return number

    def text(self):
        return self._take(self.number()).decode()

    def checksum(self):
        return int.from_bytes(self._take(8), "little", signed=True)

    def _take(self, count):
        self.position += count
        return self.data[self.position - count:self.position]
