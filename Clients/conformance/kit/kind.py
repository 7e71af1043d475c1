"""The reducer of the parts of the store kind `app` that the scenarios use: counter, user and betslip."""
from .patch import copied

PARTS = {"counter": ["counter"], "user": ["user"], "betslip": ["user", "betslip"]}  # those that actions change
SIZE = 20  # selections of a betslip


class Rejected(Exception):
    """The rules forbid an action."""


class Unpredictable(Exception):
    """Only the server knows what an action does."""


def reduced(state, actions):
    """The state after the actions of an entry, all or none of them."""
    if not isinstance(state, dict):
        raise Unpredictable
    state = dict(state)
    for action in actions:
        reduce = REDUCERS.get(action["type"])
        if not reduce:
            raise Unpredictable(action["type"])
        try:
            for part in PARTS[action["type"].split("/")[0]]:
                state[part] = copied(state[part]) if part == "betslip" else dict(state[part])
            reduce(state, action.get("payload") or {})
        except (KeyError, TypeError) as error:
            raise Unpredictable(action["type"]) from error
    return state


def _increment(state, payload):
    state["counter"]["count"] += payload.get("by", 1)


def _decrement(state, payload):
    state["counter"]["count"] -= payload.get("by", 1)


def _pay_in(state, payload):
    state["user"]["balance"] += payload["value"]


def _selection(state, payload):
    for place, selection in enumerate(state["betslip"]["selections"]):
        if selection["id"] == payload["id"]:
            return place
    raise Rejected("no-such-selection")


def _total(state):
    state["betslip"]["totalStake"] = sum(selection["stake"] for selection in state["betslip"]["selections"])


def _add_selection(state, payload):
    selections = state["betslip"]["selections"]
    if any(selection["id"] == payload["id"] for selection in selections):
        raise Rejected("duplicate-selection")
    if len(selections) >= SIZE:
        raise Rejected("betslip-full")
    selections.append({name: payload[name] for name in ("id", "event", "outcome", "odds")} | {"stake": 0})


def _set_stake(state, payload):
    state["betslip"]["selections"][_selection(state, payload)]["stake"] = payload["stake"]
    _total(state)


def _remove_selection(state, payload):
    del state["betslip"]["selections"][_selection(state, payload)]
    _total(state)


def _place_bet(state, payload):
    slip = state["betslip"]
    if not slip["selections"]:
        raise Rejected("empty-betslip")
    if any(selection["stake"] == 0 for selection in slip["selections"]):
        raise Rejected("missing-stake")
    if slip["totalStake"] > state["user"]["balance"]:
        raise Rejected("insufficient-balance")
    state["user"]["balance"] -= slip["totalStake"]
    for selection in slip["selections"]:
        pays = selection["stake"] * selection["odds"] // 100
        slip["placed"].append({"bet": len(slip["placed"]) + 1} | selection | {"potentialReturn": pays})
    slip["selections"] = []
    _total(state)


def _explode(state, payload):
    raise TypeError("a reducer that fails")


REDUCERS = {
    "counter/explode": _explode,
    "counter/increment": _increment,
    "counter/decrement": _decrement,
    "user/balanceIncrease": _pay_in,
    "betslip/addSelection": _add_selection,
    "betslip/setStake": _set_stake,
    "betslip/removeSelection": _remove_selection,
    "betslip/placeBet": _place_bet,
}
