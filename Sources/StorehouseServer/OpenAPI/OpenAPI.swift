import HTTP
import JSON
import StoreHosting
import Stores

/// The description of the server in the words of OpenAPI 3.1.
///
/// It is made of what the server itself goes by: routes, problems, store kinds and their actions.
struct OpenAPI: Sendable {
    let kinds: [StoreKind]
    let defaultStore: String
    let hasInspector: Bool

    var document: JSONValue {
        [
            "openapi": "3.1.0",
            "info": Self.info,
            "servers": [["url": "/", "description": "This server."]],
            "security": [],
            "paths": .object(paths),
            "components": [
                "parameters": .object(parameters),
                "headers": .object(Self.headers),
                "requestBodies": ["Session": sessionBody, "Fork": forkBody, "Actions": actionsBody],
                "responses": .object(Self.problemResponses),
                "securitySchemes": [
                    "admin": ["type": "http", "scheme": "bearer", "description": "The token of `admin.token`."]
                ],
                "schemas": .object(JSONObject(Array(schemas) + actionSchemas)),
            ],
        ]
    }

    private static var info: JSONValue {
        [
            "title": "Storehouse",
            "version": .string(StorehouseVersion.current),
            "description": """
            State that changes by actions only, over HTTP, watched live. A session is a running store of some kind; its \
            id is the right to use it. An action is posted to it; each commit raises its revision by one and goes out \
            on its event streams. Every error is a problem document (RFC 9457) with a stable `code`.
            """,
        ]
    }

    private var paths: JSONObject {
        let routes = Route.allCases.filter { $0.path.hasPrefix("/") }
        return JSONObject(routes.map { ($0.path, pathItem($0)) })
    }

    private func pathItem(_ route: Route) -> JSONValue {
        var item: JSONObject = [:]
        if route.path.contains("{id}") { item["parameters"] = [.reference("parameters", "id")] }
        for method in route.allow.split(separator: ", ") {
            item[method.lowercased()] = operation(String(method), on: route)?.json
        }
        return .object(item)
    }
}

extension JSONValue {
    /// A reference to a component of the document.
    static func reference(_ section: String, _ name: String) -> JSONValue {
        ["$ref": .string("#/components/\(section)/\(name)")]
    }

    static func schema(_ name: String) -> JSONValue { reference("schemas", name) }

    /// What a writer of the server makes, as a value.
    static func written(_ bytes: [UInt8]) -> JSONValue { (try? JSONValue(parsing: bytes)) ?? .null }
}

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
