import HTTP
import JSON
import Sessions
import StoreHosting
import Stores

/// The OpenAPI 3.1 document of the server.
///
/// It is made from the definitions that the server itself uses: routes, problems, store kinds and their actions.
struct OpenAPI: Sendable {
    let kinds: [StoreKind]
    let features: ServerFeatures

    var document: JSONValue {
        [
            "openapi": "3.1.0",
            "info": info,
            "servers": [
                [
                    "url": .string(features.basePath.isEmpty ? "/" : features.basePath),
                    "description": "This server.",
                ]
            ],
            "security": [],
            "tags": .array(Self.tags.map { ["name": .string($0), "description": .string($1)] }),
            "paths": .object(paths),
            "components": [
                "parameters": .object(parameters),
                "headers": .object(headers),
                "requestBodies": [
                    "Session": sessionBody, "Fork": forkBody, "Actions": actionsBody, "Sync": syncBody,
                    "Share": shareBody, "Signal": Self.signalBody,
                ],
                "responses": .object(Self.problemResponses),
                "securitySchemes": [
                    "admin": ["type": "http", "scheme": "bearer", "description": "The token of `admin.token`."],
                    "token": [
                        "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                        "description": """
                        A JSON Web Token of the subject that sessions belong to, if `access.mode` is `token`.
                        """,
                    ],
                ],
                "schemas": .object(schemas),
            ],
        ]
    }

    private var info: JSONValue {
        let whose =
            features.usesTokens ? "it belongs to the subject that created it" : "whoever knows its id may use it"
        return [
            "title": "Storehouse",
            "version": .string(StorehouseVersion.current),
            "description": .string(
                """
                Redux-like stores over HTTP: state changes only by actions, and clients watch it live. A session is a \
                running store of one kind; \(whose). Clients post actions to it. Each commit \
                increments its revision and is sent on its event streams. Every error is a problem document (RFC 9457) \
                with a stable `code`.

                A request may name itself by X-Request-Id, with 1 to 64 of `A-Z a-z 0-9 . _ -`; otherwise the server makes an id. \
                The id is in the response, in problems and in the log. The field is no parameter here, because each generated \
                function would have an argument for it.

                HEAD works wherever GET does, except for event streams, and OPTIONS lists the methods of every resource. This \
                document leaves both out, because clients that are generated from it need no functions for them.
                """),
        ]
    }

    /// The names by which generators group the operations.
    private static let tags = [
        ("sessions", "Create, read, fork and end sessions."),
        ("actions", "Dispatch actions, and read the action log."),
        ("events", "Watch a session live."),
        ("server", "What the server offers, and how it is."),
        ("admin", "For operators, with the admin token."),
    ]

    private var paths: JSONObject {
        let routes = Route.allCases.filter { route in
            route.path.hasPrefix("/") && !(features.hasOperatorPort && route.isForOperators)
                && (features.hasClient || route != .client)
        }
        return JSONObject(routes.map { ($0.path, pathItem($0)) })
    }

    private func pathItem(_ route: Route) -> JSONValue {
        var item: JSONObject = [:]
        var names = ["id", "kind", "share", "shareId"].filter { route.path.contains("{\($0)}") }
        if names.first == "id", features.usesTokens, !route.isForOperators { names.insert("storeOfMe", at: 1) }
        if !names.isEmpty { item["parameters"] = .array(names.map { .reference("parameters", $0) }) }
        for method in route.allow.split(separator: ", ") {
            let rule = route.accessRule(for: HTTPMethod(String(method)))
            item[method.lowercased()] = operation(String(method), on: route)?.secured(by: rule, features.usesTokens)
                .json(tag: Self.tag(of: route.path))
        }
        return .object(item)
    }

    private var schemas: JSONObject {
        var components = SchemaComponents()
        let schemas = [
            requestSchemas, Self.sessionSchemas, Self.syncSchemas, Self.shareSchemas, Self.eventSchemas,
            Self.presenceSchemas, Self.documentSchemas,
        ]
        for schema in schemas.joined() { components.reserve(schema.name) }
        for schema in schemas.joined() { components.add(schema.name, schema.value) }
        addKinds(to: &components)
        return components.schemas
    }

    private static func tag(of path: String) -> String {
        if path.hasPrefix("/admin/") { return "admin" }
        if path.hasSuffix("/actions") || path.hasSuffix("/sync") { return "actions" }
        if ["/events", "/presence", "/signals"].contains(where: path.hasSuffix) { return "events" }
        return path.hasPrefix("/sessions") || path.hasPrefix("/shared") ? "sessions" : "server"
    }
}

extension JSONValue {
    /// A reference to a component of the document.
    static func reference(_ section: String, _ name: String) -> JSONValue {
        ["$ref": .string("#/components/\(section)/\(name)")]
    }

    static func schema(_ name: String) -> JSONValue { reference("schemas", name) }

    /// Encoded JSON as a value.
    static func written(_ bytes: [UInt8]) -> JSONValue { (try? JSONValue(parsing: bytes)) ?? .null }
}

extension OpenAPI {
    /// The description of a method on a route; nil if there is none.
    func operation(_ method: String, on route: Route) -> Operation? {
        switch (method, route) {
        case ("GET", .index): readIndex
        case ("GET", .stores): constantDocument("readStores", "The kinds of store, with their actions", "Stores")
        case ("GET", .store): readStore
        case ("GET", .openAPI): readOpenAPI
        case ("GET", .client): readClient
        case ("GET", .liveness): document("readLiveness", "Whether the process is alive", "Health")
        case ("GET", .readiness):
            document(
                "readReadiness", "Whether the server accepts new work", "Health",
                problems: [.draining, .storageUnavailable])
        case ("GET", .sessions): features.usesTokens ? listOwnSessions : nil
        case ("POST", .sessions): createSession
        case ("POST", .forks): forkSession
        case ("GET", .shares): listShares
        case ("POST", .shares): createShare
        case ("DELETE", .share): revokeShare
        case ("DELETE", .shares): revokeShares
        case ("GET", .sharedState): readSharedState
        case ("GET", .sharedEvents): watchShared
        case ("POST", .sharedActions): dispatchShared
        case ("POST", .sync): sync
        case ("POST", .sharedSync): syncShared
        case ("GET", .adminSessions): listSessions
        case ("GET", .adminSession): adminOperation(readSession, "inspectSession", "does not count as use of it")
        case ("DELETE", .adminSession): adminOperation(deleteSession, "endSession", "works for every session")
        case ("GET", .adminState): adminOperation(readState, "inspectState", "does not count as use of it")
        case ("GET", .adminActions): adminOperation(readActions, "inspectActions", "does not count as use of it")
        case ("GET", .adminEvents): adminOperation(watch, "inspectEvents", "works for every session")
        case ("GET", .metrics): readMetrics
        case ("GET", .session): readSession
        case ("PUT", .session): putSession
        case ("DELETE", .session): deleteSession
        case ("GET", .state): readState
        case ("GET", .actions): readActions
        case ("POST", .actions): dispatch
        case ("GET", .events): watch
        case ("GET", .presence): readPresence
        case ("GET", .sharedPresence): readSharedPresence
        case ("POST", .signals): sendSignal
        case ("POST", .sharedSignals): sendSharedSignal
        default: nil
        }
    }

    private var readMetrics: Operation {
        Operation(
            "readMetrics", "Metrics for Prometheus",
            responses: [
                .init(
                    status: .ok, description: "The text exposition format of Prometheus.",
                    content: ("text/plain", ["schema": ["type": "string"]]))
            ])
    }

    private var readIndex: Operation {
        Operation(
            "readIndex", "Links to the resources",
            details: features.hasInspector
                ? "Clients that prefer `text/html`, as browsers do, get the inspector page." : nil,
            responses: [
                .init(
                    status: .ok, description: "Links to the resources.", content: Self.json(.schema("Index")),
                    alternative: features.hasInspector ? ("text/html", ["schema": ["type": "string"]]) : nil)
            ],
            problems: [.notAcceptable])
    }

    private var readStore: Operation {
        constantDocument("readStore", "A kind of store, with its actions", "Store", problems: [.noSuchStore])
    }

    private var readOpenAPI: Operation {
        Operation(
            "readOpenAPI", "This document",
            responses: [.init(status: .ok, description: "OpenAPI 3.1.", content: Self.json(["type": "object"]))],
            problems: [.notAcceptable])
    }

    private var readClient: Operation {
        Operation(
            "readClient", "The client for browsers, as an ES module",
            details: """
                `Content-Location` names it by its hash. At that place it never changes.
                """,
            parameters: ["If-None-Match"],
            responses: [
                .init(
                    status: .ok, description: "JavaScript.", headers: ["ETag", "Content-Location"],
                    content: ("text/javascript", ["schema": ["type": "string"]])),
                .init(status: .notModified, description: "The client has the module.", headers: ["ETag"]),
            ])
    }

    private func document(
        _ id: String, _ summary: String, _ schema: String, problems: [Problem.Code] = []
    ) -> Operation {
        Operation(
            id, summary,
            responses: [.init(status: .ok, description: summary + ".", content: Self.json(.schema(schema)))],
            problems: [.notAcceptable] + problems)
    }

    /// A document that a client may keep, and asks for again with its entity tag.
    private func constantDocument(
        _ id: String, _ summary: String, _ schema: String, problems: [Problem.Code] = []
    ) -> Operation {
        Operation(
            id, summary, parameters: ["If-None-Match"],
            responses: [
                .init(
                    status: .ok, description: summary + ".", headers: ["ETag"], content: Self.json(.schema(schema))),
                .init(status: .notModified, description: "The client has the document.", headers: ["ETag"]),
            ],
            problems: [.notAcceptable] + problems)
    }

    /// The content of a JSON body.
    static func json(_ schema: JSONValue, examples: [(String, JSONValue)] = []) -> (type: String, json: JSONValue) {
        ("application/json", content(schema, examples))
    }

    /// A media type object.
    static func content(_ schema: JSONValue, _ examples: [(String, JSONValue)]) -> JSONValue {
        var content: JSONObject = ["schema": schema]
        if !examples.isEmpty {
            content["examples"] = .object(JSONObject(examples.map { ($0.0, ["value": $0.1]) }))
        }
        return .object(content)
    }
}
