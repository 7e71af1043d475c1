import JSON
import StorehouseServer
import Testing

extension DescribedAPI {
    func operation(_ id: String) throws -> Operation {
        try #require(operations.first { $0.json["operationId"]?.asString == id })
    }

    /// The example requests of an operation: one for each example body, or one without a body.
    func requests(_ operation: Operation, _ path: String) -> [TestRequest] {
        guard let examples = bodies(of: operation) else {
            let isForAdmins = operation.json["security"] != nil
            let fields = isForAdmins ? [("Authorization", "Bearer \(Self.adminToken)")] : []
            return [TestRequest(operation.method, path, fields)]
        }
        // Which actions a session accepts depends on its store. Other tests post all of them.
        let shown = operation.path.hasSuffix("/actions") ? [examples[0]] : examples
        return shown.map { TestRequest(operation.method, path, json: $0) }
    }

    /// The admin token that the server must be configured with.
    static let adminToken = "a-token-of-some-length"

    /// The example bodies of an operation; nil if it has no body.
    func bodies(of operation: Operation) -> [JSONValue]? {
        let body = operation.json["requestBody"].flatMap(resolved)
        return body?["content"]?["application/json"]?["examples"]?.asObject?.compactMap { $0.value["value"] }
    }
}

extension LiveSession {
    private static let wholeShare: JSONValue = ["may": ["read", "act", "presence"]]

    /// A path of the document with the id of this session, or with a share of it.
    func located(_ template: String) async throws -> String {
        if template == "/stores/{kind}" { return "/stores/app" }
        guard template.hasPrefix("/shared/") else {
            let located = template.replacing("/sessions/{id}", with: path)
            guard located.contains("{shareId}") else { return located }
            return located.replacing("{shareId}", with: try await share().answer.json["id"]?.asString ?? "")
        }
        return template.replacing("/shared/{share}", with: try await share(Self.wholeShare).path)
    }
}
