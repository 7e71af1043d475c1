import HTTP
import JSON
import Stores

// What is done with actions.
extension OpenAPI {
    var dispatch: Operation {
        Operation(
            "dispatch", "Dispatches an action, or a batch",
            details: """
                A batch is committed whole, in order and with nothing in between, or not at all. What an action does, \
                and which kinds of store have it, stands in `GET \(Route.stores.path)`.
                """,
            parameters: ["select", "dryRun", "Idempotency-Key", "If-Match", "Prefer"], body: "Actions",
            answers: [
                .init(
                    status: .ok, description: "Committed, or ignored because it has nothing to do with the state now.",
                    headers: ["ETag", "Preference-Applied", "Idempotency-Replayed"],
                    content: Self.json(.schema("DispatchAnswer"), examples: dispatchExamples)),
                .init(
                    status: .noContent, description: "The same, as `Prefer: return=minimal` wants it.",
                    headers: ["ETag", "Preference-Applied", "Idempotency-Replayed"]),
            ],
            problems: [
                .malformedJSON, .malformedPointer, .internalAction, .noSuchSession, .notAcceptable,
                .unsupportedMediaType, .actionRejected, .idempotencyConflict, .sessionEnded, .revisionMismatch,
                .unknownAction, .invalidPayload, .idempotencyMismatch, .rateLimited, .internalError, .overloaded,
                .draining, .storageUnavailable,
            ])
    }

    private var dispatchExamples: [(String, JSONValue)] {
        kinds.prefix(1).map { kind in
            let answer: JSONValue = [
                "revision": 1, "outcome": "committed", "state": .written(kind.initialState), "effects": [],
            ]
            return (kind.name, answer)
        }
    }

    var readActions: Operation {
        Operation(
            "readActions", "The action log, oldest first", parameters: ["after", "limit"],
            answers: [
                .init(
                    status: .ok, description: "What was committed, and where the next page begins if there is one.",
                    content: Self.json(.schema("ActionLog")))
            ],
            problems: [
                .noSuchSession, .sessionEnded, .revisionGone, .notAcceptable, .internalError, .storageUnavailable,
            ])
    }

    /// The body of `POST /sessions/{id}/actions`.
    var actionsBody: JSONValue {
        let single = actions.map { ($0.type, $0.example) }
        let pair = kinds.first?.actions.filter { $0.audience == .client }.prefix(2).map(\.example) ?? []
        let schema: JSONValue = [
            "oneOf": [
                .schema("Action"),
                ["type": "array", "items": .schema("Action"), "minItems": 1, "maxItems": 100],
            ]
        ]
        return [
            "description": "An action, or a batch of 1 to 100.",
            "required": true,
            "content": [
                "application/json": Self.content(schema, single + (pair.isEmpty ? [] : [("batch", .array(pair))]))
            ],
        ]
    }

    /// The actions that a client may send, and a schema for each.
    var actionSchemas: [(String, JSONValue)] {
        let actions = actions
        let mapping = actions.map { ($0.type, JSONValue.string("#/components/schemas/\($0.component)")) }
        let any: JSONValue = [
            "oneOf": .array(actions.map { .schema($0.component) }),
            "discriminator": ["propertyName": "type", "mapping": .object(JSONObject(mapping))],
        ]
        return [("Action", any)] + actions.map { ($0.component, $0.schema) }
    }

    /// The actions for clients, each type once, however many kinds of store have it.
    private var actions: [DescribedAction] {
        var actions: [DescribedAction] = []
        var places: [String: Int] = [:]
        for kind in kinds {
            for action in kind.actions where action.audience == .client {
                if let place = places[action.type] {
                    actions[place].add(action, of: kind)
                } else {
                    places[action.type] = actions.count
                    actions.append(DescribedAction(action, of: kind))
                }
            }
        }
        return actions
    }
}
