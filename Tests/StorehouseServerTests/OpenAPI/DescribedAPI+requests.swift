import JSON
import StorehouseServer
import Testing

extension DescribedAPI {
    func operation(_ id: String) throws -> Operation {
        try #require(operations.first { $0.json["operationId"]?.asString == id })
    }

    /// The operation's example requests: one for each body that it shows, or one without a body.
    func requests(_ operation: Operation, _ path: String) -> [TestRequest] {
        guard let examples = bodies(of: operation) else {
            let isForAdmins = operation.json["security"] != nil
            let fields = isForAdmins ? [("Authorization", "Bearer \(Self.adminToken)")] : []
            return [TestRequest(operation.method, path, fields)]
        }
        // Which actions a session takes depends on its store: other tests post them all.
        let shown = operation.path.hasSuffix("/actions") ? [examples[0]] : examples
        return shown.map { TestRequest(operation.method, path, json: $0) }
    }

    /// What a server has to be configured with for the requests of operators.
    static let adminToken = "a-token-of-some-length"

    /// The bodies that an operation shows as examples; nil where it has no body.
    func bodies(of operation: Operation) -> [JSONValue]? {
        let body = operation.json["requestBody"].flatMap(resolved)
        return body?["content"]?["application/json"]?["examples"]?.asObject?.compactMap { $0.value["value"] }
    }
}

extension LiveSession {
    /// A path of the document, for this session.
    func located(_ template: String) -> String {
        let general = "/sessions/{id}"
        return template.hasPrefix(general) ? path + template.dropFirst(general.count) : template
    }
}
