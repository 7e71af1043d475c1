"""Sends the entries of the outbox, one request at a time, until each has its outcome."""
import asyncio
import json
import secrets

from kit import wire

PASSING = (408, 429, 500, 502, 503, 504)
TIMEOUT = 30_000


class Sender:
    def __init__(self, store):
        self.store, self.clock, self.faults = store, store.clock, store.faults
        self.client = secrets.token_urlsafe(16)
        self.room = 65536
        self.sent = 0  # highest number that may have reached the server
        self.has_record = self.must_read = self.is_busy = self.is_stopped = False
        self.failures = self.wake = self.asked_at = 0
        self.limit = 100
        self._timer = self._task = None

    def waiting(self):
        return [entry for entry in self.store.ledger.entries if not entry.result]

    def pump(self):
        self._set(None)
        if self.is_stopped or (self.is_busy and "two-at-once" not in self.faults):
            return
        if not self.waiting() and not self.must_read:
            return
        if self.clock.now < self.wake:
            return self._set(self.wake - self.clock.now)
        self.is_busy = True
        self._task = asyncio.ensure_future(self._send())

    def hurry(self):
        if self.failures:
            self.wake = min(self.wake, max(self.clock.now, self.asked_at + 1000, getattr(self, "not_before", 0)))
        self.pump()

    def stop(self):
        self.is_stopped = True
        self._set(None)
        if self._task:
            self._task.cancel()

    def _set(self, delay):
        if self._timer:
            self.clock.cancel(self._timer)
        self._timer = None if delay is None else self.clock.set(delay, self.pump)

    # ---- One request

    def _request(self):
        """The body of the next request, and its entries."""
        waiting = self.waiting()
        if not self.has_record:
            return {"client": self.client, "new": True, "from": 1, "entries": []}, []
        first = waiting[0].number if waiting else self.store.last + 1
        if self.must_read or not waiting:  # two requests at once can find that the other one has sent all
            return {"client": self.client, "from": first, "entries": []}, []
        entries, size = [], 200
        for entry in waiting[:self.limit]:
            size += len(json.dumps(entry.body)) + 1
            if entries and (size > self.room or entry.number != entries[-1].number + 1):
                break
            entries.append(entry)
        if "last-first" in self.faults and len(entries) > 1 and first > 1:
            entries = entries[-1:]
        start = entries[0].number
        if "skip-unknown" in self.faults and self.failures:
            start, entries = entries[-1].number, entries[-1:]
        return {"client": self.client, "from": start, "entries": [entry.body for entry in entries]}, entries

    async def _send(self):
        body, entries = self._request()
        before, self.asked_at = self.sent, self.clock.now
        history = self.store.ledger.confirmed.history
        if entries:
            self.sent = max(self.sent, entries[-1].number)
            self.store.outbox.sent(self.sent)
        task = asyncio.current_task()
        limit = self.clock.set(TIMEOUT, task.cancel)
        try:
            answer = await self._ask(body)
        except (OSError, ValueError, asyncio.IncompleteReadError):
            answer = 0, None, 0
        except asyncio.CancelledError:
            if self.is_stopped:
                return
            answer = 0, None, 0
        finally:
            self.clock.cancel(limit)
        self.is_busy = False
        self._answered(body, entries, before, history, *answer)
        self.pump()

    async def _ask(self, body):
        store = self.store
        headers = {"Content-Type": "application/json"} | store.authorization()
        response = await wire.exchange(store.address, "POST", store.path + "/sync", headers, json.dumps(body).encode())
        try:
            text = await response.read()
            value = json.loads(text) if "json" in response.headers.get("content-type", "") else None
            return response.status, value, store.asked(response.headers.get("retry-after"))
        finally:
            response.close()

    def _answered(self, body, entries, before, history, status, value, retry_after):
        code = (value or {}).get("code")
        if status == 200 and isinstance((value or {}).get("results"), list):
            return self._accept(body, value, history)
        if status == 401:
            self.sent = before
            self.is_stopped = True
            return self.store.unauthorized(self.resume)
        if not code or status in PASSING:
            return self._later(retry_after, entries)
        if code in ("client-forgotten", "sequence-conflict"):
            doubtful = before if code == "client-forgotten" else max(before, self.sent)
            self.has_record = self.must_read = False
            return self.store.forgotten(doubtful)
        self.sent = before
        if status in (404, 410):
            return self.store.gone(status)
        if len(entries) > 1:
            self.limit = max(1, len(entries) // 2)
        elif entries:
            result = {"n": entries[0].number, "outcome": "refused", "revision": value.get("revision", 0), "problem": value}
            self.store.ledger.decide([result])
        else:
            self._later(1000, entries)

    def _accept(self, body, value, history):
        """Takes the outcomes, unless the stream has come to another history since the request was sent."""
        pause = self.store.asked(value.get("retryAfter"))
        if body["entries"] and not any(result["n"] == body["from"] for result in value["results"]):
            self._later(pause, [])  # without an outcome the request would be repeated at once, for ever
        else:
            self.failures = 0
            self.wake = self.not_before = self.clock.now + pause
        if body.get("new"):
            self.has_record = True
        elif not body["entries"]:
            self.must_read = False
        else:
            self.limit = min(100, self.limit * 2)
        ledger = self.store.ledger
        ledger.confirmed.mark = ledger.confirmed.mark or value["mark"]
        if ledger.confirmed.history in (value["history"], history):
            ledger.decide([result | {"history": value["history"]} for result in value["results"]])

    def _later(self, at_least, entries):
        if "gives-up" in self.faults and entries:
            self.is_stopped = True
        if "renumber" in self.faults:
            for entry in entries:
                entry.number = self.store.next_number()
            self.store.ledger.entries.sort(key=lambda entry: entry.number)
        if "new-client-on-retry" in self.faults:
            self.client, self.has_record = secrets.token_urlsafe(16), False
        delay = self.store.backoff(self.failures, 1000)
        self.failures += 1
        if "hammer" in self.faults:
            delay = at_least = 0
        self.not_before = self.clock.now + at_least
        self.wake = self.clock.now + max(delay, at_least)

    def resume(self):
        self.is_stopped = False
        self.pump()
