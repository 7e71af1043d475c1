import HTTP
import JSON

extension OpenAPI {
    /// What a method does on a route; nil where nobody described it.
    func operation(_ method: String, on route: Route) -> Operation? {
        switch (method, route) {
        case ("GET", .index): readIndex
        case ("GET", .stores): document("readStores", "The kinds of store, with their actions", "Stores")
        case ("GET", .openAPI):
            Operation(
                "readOpenAPI", "This document",
                answers: [.init(status: .ok, description: "OpenAPI 3.1.", content: Self.json(["type": "object"]))],
                problems: [.notAcceptable])
        case ("GET", .liveness): document("readLiveness", "Whether the process lives", "Health")
        case ("GET", .readiness):
            document(
                "readReadiness", "Whether new work is taken", "Health", problems: [.draining, .storageUnavailable])
        case ("POST", .sessions): createSession
        case ("POST", .forks): forkSession
        case ("GET", .adminSessions): listSessions
        case ("GET", .metrics):
            Operation(
                "readMetrics", "Numbers for Prometheus",
                answers: [
                    .init(
                        status: .ok, description: "Prometheus' text format.",
                        content: ("text/plain", ["schema": ["type": "string"]]))
                ])
        case ("GET", .session): readSession
        case ("DELETE", .session): deleteSession
        case ("GET", .state): readState
        case ("GET", .actions): readActions
        case ("POST", .actions): dispatch
        case ("GET", .events): watch
        case ("HEAD", _): operation("GET", on: route)?.head
        case ("OPTIONS", _): options(route)
        default: nil
        }
    }

    private var readIndex: Operation {
        Operation(
            "readIndex", "Links to what there is",
            details: hasInspector ? "To a client that prefers `text/html`, as browsers do, the inspector page." : nil,
            answers: [
                .init(
                    status: .ok, description: "Links to what there is.", content: Self.json(.schema("Index")),
                    alternative: hasInspector ? ("text/html", ["schema": ["type": "string"]]) : nil)
            ],
            problems: [.notAcceptable])
    }

    private func document(
        _ id: String, _ summary: String, _ schema: String, problems: [Problem.Code] = []
    ) -> Operation {
        Operation(
            id, summary,
            answers: [.init(status: .ok, description: summary + ".", content: Self.json(.schema(schema)))],
            problems: [.notAcceptable] + problems)
    }

    private func options(_ route: Route) -> Operation {
        Operation(
            route.rawValue + "Options", "The methods that may be used here",
            answers: [.init(status: .noContent, description: "The methods, in Allow.", headers: ["Allow"])])
    }

    /// A body of JSON.
    static func json(_ schema: JSONValue, examples: [(String, JSONValue)] = []) -> (type: String, json: JSONValue) {
        ("application/json", content(schema, examples))
    }

    /// What a media type holds.
    static func content(_ schema: JSONValue, _ examples: [(String, JSONValue)]) -> JSONValue {
        var content: JSONObject = ["schema": schema]
        if !examples.isEmpty {
            content["examples"] = .object(JSONObject(examples.map { ($0.0, ["value": $0.1]) }))
        }
        return .object(content)
    }
}
