import JSON
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
