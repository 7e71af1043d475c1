"""Uses the client that openapi-python-client generates, which the folder PYTHONPATH has as `storehouse`.

    with_openapi_python_client.py URL
"""

import sys
from typing import get_args, get_type_hints

from storehouse import Client, models
from storehouse.api.actions import dispatch
from storehouse.api.server import read_stores
from storehouse.api.sessions import create_session, delete_session, read_session, read_state

ACTIONS = [choice for choice in get_args(get_type_hints(dispatch.sync)["body"]) if hasattr(choice, "from_dict")]


def typed(example):
    """The example as a value of the generated class of its type."""
    for action in ACTIONS:
        try:
            return action.from_dict(example)
        except ValueError:
            continue
    sys.exit(f"no class for {example}")


def create(client, kind):
    return create_session.sync(client=client, body=models.SessionRequest(store=models.SessionRequestStore(kind)))


def dispatch_examples(client):
    count = 0
    for store in read_stores.sync(client=client).stores:
        session = create(client, store.name)
        for action in store.actions:
            if action.audience != "client":
                continue
            answer = dispatch.sync(session.id, client=client, body=typed(action.example.to_dict()))
            if isinstance(answer, models.Problem):
                assert answer.code == models.ProblemCode.ACTION_REJECTED, answer
            else:
                assert isinstance(answer, models.DispatchAnswer), answer
            count += 1
    return count


def read_typed_state(client):
    session = create(client, "app")
    payload = models.CounterIncrementPayload(by=1_000_000)
    action = models.CounterIncrement("counter/increment", payload)
    answer = dispatch.sync(session.id, client=client, body=[action, models.TasksAdd.from_dict(task("Buy tea"))])
    assert answer.revision == 2, answer
    state = models.AppState.from_dict(read_state.sync(session.id, client=client).state)
    assert state.counter.count == 1_000_000, state
    assert [task.title for task in state.tasks.entities.additional_properties.values()] == ["Buy tea"], state
    assert read_state.sync(session.id, client=client, select="/counter/count").state == 1_000_000
    delete_session.sync_detailed(session.id, client=client)
    ended = read_session.sync(session.id, client=client)
    assert isinstance(ended, models.Problem) and ended.code == models.ProblemCode.SESSION_ENDED, ended


def task(title):
    return {"type": "tasks/add", "payload": {"title": title}}


with Client(base_url=sys.argv[1]) as client:
    read_typed_state(client)
    print(f"{dispatch_examples(client)} actions")
