import JSON
import StorehouseServer
import Testing

/// Requests that create no session.
@Suite struct CreationRefusalTests {
    @Test(arguments: [
        (#"{"store":"nothing"}"#, 404, "no-such-store"), (#"{"store":""}"#, 404, "no-such-store"),
        (#"{"store":7}"#, 422, "invalid-payload"), (#"{"stoer":"app"}"#, 422, "invalid-payload"),
        (#"["app"]"#, 422, "invalid-payload"), ("null", 422, "invalid-payload"), ("{", 400, "malformed-json"),
    ])
    func theBodyMustNameAKind(_ body: String, _ status: Int, _ code: String) async throws {
        try await TestAPI.run(configuration: .with { $0.sessions.max = 1 }) { api in
            let response = try await api.send(TestRequest("POST", "/sessions", body: Array(body.utf8)))
            #expect(response.status == status)
            #expect(response.code == code)
            // The one place is still free.
            #expect(try await api.session().read().status == 200)
        }
    }
}
