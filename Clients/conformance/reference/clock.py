"""Time that only the runner moves."""
import heapq
import itertools


class Clock:
    def __init__(self, changed):
        self.now = 0
        self._changed = changed
        self._timers, self._count = [], itertools.count()

    def set(self, delay, run):
        """A timer, as a list that is emptied when it is cancelled or has run."""
        timer = [self.now + delay, next(self._count), run]
        heapq.heappush(self._timers, timer)
        self._tell()
        return timer

    def cancel(self, timer):
        if timer in self._timers:
            self._timers.remove(timer)
            heapq.heapify(self._timers)
            self._tell()

    def advance(self, to):
        while self._timers and self._timers[0][0] <= to:
            due, _, run = heapq.heappop(self._timers)
            self.now = max(self.now, due)
            run()
        self.now = max(self.now, to)
        self._tell()

    def sleep(self, to):
        """Time passes at once, as for a process that was frozen."""
        self.now = to
        self.advance(to)

    def _tell(self):
        self._changed(self._timers[0][0] if self._timers else None, len(self._timers))
