"""Compares the view of a client with what a scenario expects."""
from . import patch


def seen(client, trace, key):
    """The value that a key of an expectation names."""
    view = client.view
    value, connection = view["value"], view["connection"] or {}
    name, _, rest = key.partition(":")
    part, _, pointer = key.partition("/")
    if part in ("shown", "confirmed"):
        return patch.find(value.get(part), "/" + pointer if pointer else "")
    if key == "connection":
        return connection.get("status")
    if key in ("reason", "isStale"):
        return connection.get(key)
    if key in ("pending", "predicted", "revision"):
        return value.get(key)
    if name == "outcome":
        return view["outcomes"].get(rest, {}).get("outcome")
    if name == "outcomes":
        return sum(1 for outcome in view["outcomes"].values() if outcome["outcome"] == rest)
    if name == "refusal":
        outcome = view["outcomes"].get(rest, {})
        return outcome.get("reason") or outcome.get("code")
    if name == "predicts":
        return value.get("reasons", {}).get(rest)
    if name == "reports":
        return sum(1 for report in view["reports"] if report["kind"] == rest)
    if key == "tokens":
        return len(view["tokens"])
    if key == "error":
        return client.error
    if name == "requests":
        return sum(1 for item in trace.of("request") if rest in item["request"].kinds)
    raise KeyError(key)


def fits(value, expected):
    if isinstance(expected, dict) and expected.keys() <= {"atLeast", "atMost"}:
        return value is not None and expected.get("atLeast", value) <= value <= expected.get("atMost", value)
    return value == expected


def wrong(client, trace, expectation):
    """The expectations that do not hold, as texts."""
    found = {key: seen(client, trace, key) for key in expectation}
    return [f"{key} is {found[key]!r}, not {expected!r}" for key, expected in expectation.items() if not fits(found[key], expected)]
