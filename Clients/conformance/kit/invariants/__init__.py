"""The invariants, each a function that yields what is wrong with a history."""
from . import shown, traffic

STREAMS = 8  # of a client at a time, as the proxy sees it, which hears late that a client has closed one
SCRIPTED = ("replay", "outcomes", "one request at a time")  # those that hold where the scenario plays the server


class Broken(Exception):
    """A client does not keep an invariant."""

    def __init__(self, name, text):
        super().__init__(f"{name}: {text}")
        self.name = name


def checks(grows=None):
    """All invariants by name. `grows` is a pointer to a number that only grows."""
    return traffic.CHECKS | shown.CHECKS | ({"grows": shown.grows(grows)} if grows else {})


def verdicts(history, grows=None):
    """What is wrong with a history, by invariant: an empty list where it holds."""
    return {name: list(check(history)) for name, check in checks(grows).items()}


def check(history, clients, grows=None, is_scripted=False):
    """Fails with the first thing that is wrong."""
    for name, find in checks(grows).items():
        if not is_scripted or name in (*SCRIPTED, "grows"):
            for text in find(history):
                raise Broken(name, text)
    if history.streams > STREAMS * clients:
        raise Broken("bounded", f"{history.streams} streams are open at a time")
