"""All that a client and the proxy have shown, in the order in which the runner heard of it."""
import json


class Trace:
    def __init__(self):
        self.items, self.requests = [], 0
        self.now = lambda: 0
        self.heard = None  # is called with each item

    def add(self, kind, **members):
        item = {"kind": kind, "at": self.now(), **members}
        self.items.append(item)
        self.requests += kind == "request"
        if self.heard:
            self.heard(item)

    def of(self, kind, who=None):
        return [item for item in self.items if item["kind"] == kind and who in (None, item.get("who"))]

    def has_shown(self, who, name, begin):
        """Whether a client has shown an entry as pending, in the items from a place on."""
        return any(item["kind"] == "value" and item["who"] == who and name in item["value"]["pending"] for item in self.items[begin:])

    def history(self, run, logs):
        """The lines of a history, as README.md describes them."""
        for who, options in run.options.items():
            yield {"kind": "connect", "who": who, "select": options.get("select")}
        for who, entries in run.entries.items():
            yield from ({"kind": "sent", "who": who, "entry": name, "actions": actions} for name, actions in entries.items())
        if run.acted:
            yield {"kind": "acted", "actions": run.acted}
        for item in self.items:
            yield from self._line(item)
        for name, first, actions in logs:
            yield {"kind": "log", "history": name, "first": first, "actions": actions}

    def _line(self, item):
        kind = item["kind"]
        if kind == "request":
            request = item["request"]
            yield {
                "kind": kind, "at": item["at"], "id": request.id, "method": request.method, "path": request.target, "body": request.json,
                "lastEventId": request.fields.get("last-event-id"), "inFlight": item["in_flight"], "fault": item["fault"]}
        elif kind == "answer":
            yield item | {"body": self._json(item["body"])}
        elif kind == "event":
            yield item | {"data": json.loads(item["data"])}
        elif kind == "open":
            yield {"kind": "streams", "at": item["at"], "streams": item["streams"]}
        elif "who" in item:
            yield item

    def _json(self, text):
        try:
            return json.loads(text)
        except ValueError:
            return None

    def lines(self):
        """The trace for people."""
        for item in self.items:
            if item["kind"] == "event":
                continue  # the values of the clients tell more
            yield f"    {item['at']:>9} {item['kind']:<10} {self._text(item)}"

    def _text(self, item):
        if "request" in item:
            request = item["request"]
            seen = request.fields.get("last-event-id")
            text = f"{request.method} {request.target[-70:]} {(request.body or b'').decode()[:300]}"
            return text + (f" Last-Event-ID {seen}" if seen else "") + (f" → {item['fault']}" if item["fault"] else "")
        if item["kind"] == "value":
            value = item["value"]
            parts = [f"{name} {json.dumps(self._short(value[name]), ensure_ascii=False)[:160]}" for name in ("confirmed", "shown")]
            return f"{item['who']} {value['revision']}.{value['history']} pending {value['pending']} predicted {value['predicted']} " + " ".join(parts)
        shown = {name: value.decode() if isinstance(value, bytes) else value for name, value in item.items() if name not in ("kind", "at")}
        return json.dumps(shown, ensure_ascii=False)[:400]

    def _short(self, state):
        parts = ("counter", "user", "betslip")
        return {name: state[name] for name in parts if name in state} if isinstance(state, dict) and "counter" in state else state
