"""Uses the models that datamodel-code-generator generates, which the folder PYTHONPATH has as `models`, with httpx.

    with_datamodel_code_generator.py URL
"""

import sys

import httpx
import models


def create(client, kind):
    request = models.SessionRequest(store=kind)
    response = client.post("/sessions", json=request.model_dump(mode="json"))
    return models.CreatedSession.model_validate_json(response.raise_for_status().content)


def dispatch(client, session, request):
    body = request.model_dump_json(by_alias=True, exclude_unset=True)
    response = client.post(session.links.actions, content=body, headers={"Content-Type": "application/json"})
    if response.is_error:
        return models.Problem.model_validate_json(response.content)
    return models.DispatchAnswer.model_validate_json(response.content)


def dispatch_examples(client):
    count = 0
    for store in models.Stores.model_validate_json(client.get("/stores").content).stores:
        session = create(client, store.name)
        for action in store.actions:
            if action.audience != "client":
                continue
            answer = dispatch(client, session, models.DispatchRequest.model_validate(action.example))
            if isinstance(answer, models.Problem):
                assert answer.code.value == "action-rejected", answer
            count += 1
    return count


def read_typed_state(client):
    session = create(client, "app")
    actions = [
        models.CounterIncrement(type="counter/increment", payload=models.CounterIncrementPayload(by=1_000_000)),
        models.TasksAdd(type="tasks/add", payload=models.TasksAddPayload(title="Buy tea")),
    ]
    request = models.DispatchRequest(root=[models.Action(root=action) for action in actions])
    answer = dispatch(client, session, request)
    assert answer.revision.root == 2, answer
    answer = models.StateAnswer.model_validate_json(client.get(session.links.state).content)
    state = models.AppState.model_validate(answer.state.root)
    assert state.counter.count == 1_000_000, state
    assert [task.title for task in state.tasks.entities.values()] == ["Buy tea"], state


with httpx.Client(base_url=sys.argv[1]) as client:
    read_typed_state(client)
    print(f"{dispatch_examples(client)} actions")
