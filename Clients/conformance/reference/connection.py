"""The event stream: when it is opened, and what the connection is called."""
import asyncio
import urllib.parse

from kit import wire
from kit.patch import PatchFailed

from .sse import Parser

FINAL = {204: "session-ended", 403: "forbidden", 404: "not-found", 410: "session-ended"}
GRACE, SETTLED, HIDDEN, HEAD, MOST = 5000, 10_000, 60_000, 10_000, 30_000


class Connection:
    def __init__(self, store):
        self.store, self.clock, self.faults = store, store.clock, store.faults
        self.status = self.reason = None
        self.stream = 0  # number of the open stream
        self.failures = self.live_at = self.opened_at = self.byte_at = 0
        self.heartbeat = 15_000
        self.retry = 1000
        self.went_on = None  # number of the newest stream before an attempt without a pause
        self.is_hidden = self.is_paused = self.is_offline = False
        self._count = 0
        self._timers = {}
        self._task = None

    # ---- Status

    def show(self, status, reason=None):
        if status == self.status or self.status == "ended":
            return
        self.status, self.reason = status, reason
        view = {"status": status, "isStale": status != "live"}
        self.store.tell("connection", view | ({"reason": reason} if reason else {}))
        self._cancel("grace")
        if status == "reconnecting":
            self._set("grace", GRACE, lambda: self.show("offline"))

    def _set(self, name, delay, run):
        if "leak-timers" not in self.faults:
            self._cancel(name)
        self._timers[name] = self.clock.set(delay, run)

    def _cancel(self, name):
        if timer := self._timers.pop(name, None):
            self.clock.cancel(timer)

    # ---- Open and close

    def open(self):
        self.close()
        if self.status == "ended" or self.is_paused or self.is_offline:
            return
        self._count += 1
        self.stream, self.opened_at = self._count, self.clock.now
        if self.status is None:
            self.show("connecting")
        self._set("silence", HEAD, self.fail)
        self._task = asyncio.ensure_future(self._read(self.stream))

    def close(self):
        self.stream = 0
        for name in ("silence", "retry"):
            self._cancel(name)
        if self._task:
            self._task.cancel()
            self._task = None

    def end(self, reason):
        if "never-ends" in self.faults:
            return self.fail()
        self.close()
        self._cancel("hidden")
        self.show("ended", reason)
        self.store.ended()

    def lose(self, delay):
        """The stream is gone; another one is opened after so many milliseconds."""
        if self.status == "live" and self.clock.now - self.live_at >= SETTLED or "no-memory" in self.faults:
            self.failures = 0
        self.close()
        if self.status in ("live", "connecting"):
            self.show("offline" if self.is_offline else "reconnecting")
        self._set("retry", delay, self.open)

    def fail(self, at_least=0):
        if self.status == "live" and self.clock.now - self.live_at >= SETTLED:
            self.failures = 0
        delay = self.store.backoff(self.failures, self.retry)
        self.failures += 1
        self.not_before = self.clock.now + at_least
        self.lose(0 if "no-backoff" in self.faults else max(delay, at_least))

    def again(self):
        """The cause is removed. If a stream that was opened then does not help, the next attempt waits as after a loss."""
        went_on, self.went_on = self.went_on, self._count
        self.lose(0) if went_on in (None, self._count) else self.fail()

    def hurry(self):
        """Something says that it is worth an attempt."""
        if self.is_paused or self.is_offline or self.status in ("ended", "unauthorized"):
            return
        if self.stream and self.clock.now - max(self.byte_at, self.opened_at) < self.heartbeat:
            return
        soonest = max(self.opened_at + 1000, getattr(self, "not_before", 0))
        self.lose(max(0, soonest - self.clock.now))

    # ---- The page and the system

    def hide(self):
        self.is_hidden = True
        self._set("hidden", HIDDEN, self._pause)

    def _pause(self):
        self.is_paused = True
        self.lose(0)

    def show_page(self):
        self.is_hidden = self.is_paused = False
        self._cancel("hidden")
        self.hurry()

    def offline(self):
        self.is_offline = True
        self.lose(0)
        self.show("offline")

    def online(self):
        self.is_offline = False
        self.hurry()

    def woken(self, slept):
        if self.stream and slept > self.heartbeat:
            self.lose(0)

    # ---- One stream

    async def _read(self, number):
        response = None
        try:
            response = await self._request()
            if self.stream != number:
                return
            if response.status != 200 or not response.headers.get("content-type", "").startswith("text/event-stream"):
                return self.refused(response)
            await self._events(response, number)
            self.fail()
        except (OSError, ValueError, KeyError, TypeError, asyncio.IncompleteReadError):
            if self.stream == number:
                self.fail()
        finally:
            if response:
                response.close()

    async def _request(self):
        store = self.store
        query = {"changes": "patch", "ready": "true", "sync": store.sender.client}
        if store.select:
            query["select"] = store.select
        headers = {"Accept": "text/event-stream", "Prefer": "status"} | store.authorization()
        confirmed = store.ledger.confirmed
        if confirmed.id and confirmed.value is not None and "never-resumes" not in self.faults:
            headers["Last-Event-ID"] = confirmed.id
        return await wire.exchange(store.address, "GET", f"{store.path}/events?{urllib.parse.urlencode(query)}", headers)

    def refused(self, response):
        status = response.status
        at_least = self.store.asked(response.headers.get("retry-after"))
        self.close()
        if status == 401:
            return self.store.unauthorized(self.open)
        if status == 404 and self.store.create:
            return self.store.create_again()
        if status in FINAL:
            return self.end(FINAL[status])
        self.fail(0 if "ignore-retry-after" in self.faults else at_least)

    async def _events(self, response, number):
        parser, ledger = Parser(self.faults), self.store.ledger
        staged, is_ready = ledger.confirmed.copy(), False
        if "live-too-early" in self.faults:
            self._live()
        while piece := await response.piece():
            if self.stream != number:
                return
            self.byte_at = self.clock.now
            if "deaf-to-silence" not in self.faults:
                self._set("silence", 2.5 * self.heartbeat, self.fail)
            elif "silence" in self._timers:
                self._cancel("silence")
            base, events = (ledger.confirmed if is_ready else staged), parser.feed(piece)
            self.retry = parser.retry or self.retry
            for name, data, event_id in events:
                if name == "closed":
                    self._confirm(base, is_ready)
                    return self._closed(data["reason"])
                try:
                    if name in ("state", "patch", "ready"):
                        base = ledger.applied(base, name, data, event_id)
                except (PatchFailed, KeyError, TypeError, ValueError) as error:
                    return self._broken(error)
                if name == "ready":
                    is_ready = True
                    self._ready(data)
            staged = base
            self._confirm(base, is_ready or "unready" in self.faults)
            if is_ready:
                self._live()

    def _confirm(self, confirmed, is_ready):
        before = self.store.ledger.confirmed
        if not is_ready or confirmed is before:
            return
        if "forget-mark" not in self.faults:
            confirmed.mark = confirmed.mark or before.mark  # the record may have begun while the stream was opened
        is_other = confirmed.history != before.history and (before.history or self.store.ledger.has_results_of_others(confirmed.history))
        if is_other:
            self.store.other_history(confirmed.history)
        self.store.ledger.confirm(confirmed)
        self.store.outbox.save({"client": self.store.sender.client} | confirmed.__dict__)

    def _ready(self, data):
        if self.store.create not in (False, True, data.get("store", self.store.create)) and "any-kind" not in self.faults:
            self.end("refused")
            raise asyncio.CancelledError
        self.heartbeat = data.get("heartbeat", 15) * 1000
        self.store.sender.room = data.get("maxBody", self.store.sender.room)

    def _live(self):
        self.went_on = None
        if self.status != "live":
            self.live_at = self.clock.now
            self.show("live")
            self.store.sender.hurry()

    def _closed(self, reason):
        if reason in ("session-ended", "revoked"):
            self.end(reason)
        elif reason in ("rotated", "expired"):
            self.lose(0 if self.clock.now - self.opened_at >= 1000 else 1000)
        else:
            self.fail(self.retry)
        raise asyncio.CancelledError

    def _broken(self, error):
        self.store.tell("report", {"kind": "patch", "error": str(error)})
        if "resume-broken" not in self.faults:
            self.store.ledger.confirmed.id = None
        self.fail()
        raise asyncio.CancelledError
