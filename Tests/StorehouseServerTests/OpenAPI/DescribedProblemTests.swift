import HTTP
import JSON
import StorehouseServer
import Testing

/// Problems are described.
@Suite struct DescribedProblemTests {
    @Test func everyProblemCodeIsDescribed() async throws {
        try await TestAPI.run { api in
            let document = try await DescribedAPI(of: api)
            let words = document.json["components"]?["schemas"]?["Problem"]?["properties"]?["code"]?["enum"]
            #expect(words == .array(Problem.Code.allCases.map { .string($0.rawValue) }))
            for code in Problem.Code.allCases {
                let response = document.json["components"]?["responses"]?["Problem\(code.status.rawValue)"]
                let content = try #require(response?["content"]?["application/problem+json"])
                let example = try #require(content["examples"]?[code.rawValue]?["value"])
                let check = SchemaCheck(api: document)
                #expect(check.complaints(about: example, try #require(content["schema"])) == [])
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let operation: String
        let code: Problem.Code
        var below = ""
        var fields: [(String, String)] = []
        var body: String?
        var path: String?

        var testDescription: String { code.rawValue }
    }

    private static let cases = [
        Case(operation: "readStores", code: .notAcceptable, fields: [("Accept", "image/png")], path: "/stores"),
        Case(operation: "readStore", code: .noSuchStore, path: "/stores/shop"),
        Case(operation: "readStore", code: .malformedRequest, fields: [("If-None-Match", "0")], path: "/stores/app"),
        Case(operation: "createSession", code: .forbidden, fields: [("Origin", "null")], path: "/sessions"),
        Case(operation: "createSession", code: .malformedJSON, body: "{", path: "/sessions"),
        Case(operation: "createSession", code: .invalidPayload, body: #"{"stor":"app"}"#, path: "/sessions"),
        Case(operation: "createSession", code: .noSuchStore, body: #"{"store":"shop"}"#, path: "/sessions"),
        Case(
            operation: "createSession", code: .unsupportedMediaType, fields: [("Content-Type", "text/plain")],
            body: "{}", path: "/sessions"),
        Case(operation: "readSession", code: .noSuchSession, path: "/sessions/nobody"),
        Case(operation: "readState", code: .malformedPointer, below: "/state?select=count"),
        Case(operation: "readState", code: .malformedRequest, below: "/state", fields: [("If-None-Match", "0")]),
        Case(operation: "readState", code: .noSuchRevision, below: "/state?revision=1"),
        Case(operation: "dispatch", code: .internalAction, below: "/actions", body: #"{"type":"login/authenticated"}"#),
        Case(operation: "dispatch", code: .unknownAction, below: "/actions", body: #"{"type":"counter/increase"}"#),
        Case(
            operation: "dispatch", code: .invalidPayload, below: "/actions",
            body: #"[{"type":"counter/increment","payload":{"by":0}}]"#),
        Case(operation: "dispatch", code: .actionRejected, below: "/actions", body: #"[{"type":"betslip/placeBet"}]"#),
        Case(
            operation: "dispatch", code: .revisionMismatch, below: "/actions", fields: [("If-Match", "\"7\"")],
            body: #"{"type":"counter/increment"}"#),
        Case(operation: "watch", code: .notAcceptable, below: "/events", fields: [("Accept", "text/html")]),
    ]

    @Test(arguments: cases)
    func problemsAreAsDescribed(_ one: Case) async throws {
        try await TestAPI.run { api in
            let document = try await DescribedAPI(of: api)
            let session = try await api.session()
            let path = one.path ?? session.path + one.below
            let operation = try document.operation(one.operation)
            let response = try await api.send(
                TestRequest(operation.method, path, one.fields, body: one.body.map { Array($0.utf8) }))
            #expect(response.code == one.code.rawValue)
            #expect(response.status == one.code.status.rawValue)
            #expect(document.complaints(about: response, to: operation) == [])
            let described = operation.json["responses"]?["\(response.status)"]?["description"]?.asString
            #expect(described?.contains("`\(one.code.rawValue)`") == true)
        }
    }
}
