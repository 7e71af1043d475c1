import JSON
import StorehouseServer
import Testing

/// Responses that a cache must not keep.
@Suite struct CachingTests {
    private static let admin = "the-admin-token-of-this-test"

    @Test func aStatusOfThisMomentIsNotCached() async throws {
        try await TestAPI.run(configuration: .with { $0.admin.token = .init(Self.admin) }) { api in
            let session = try await api.session()
            let ended = try await api.session()
            #expect(try await ended.delete().status == 204)
            let field = [("Authorization", "Bearer " + Self.admin)]
            for (path, status) in [
                ("/healthz", 200), ("/readyz", 200), ("/metrics", 200), ("/admin/sessions", 200),
                ("/admin" + session.path, 200), ("/admin" + ended.path, 410), (session.path, 200),
                (session.path + "/actions", 200), (ended.path + "/events", 204), ("/nothing", 404),
            ] {
                let response = try await api.get(path, field)
                #expect(response.status == status, "\(path)")
                #expect(response["cache-control"] == "no-store", "\(path)")
            }
            let head = try await api.send(TestRequest("HEAD", "/readyz"))
            #expect(head["cache-control"] == "no-store")
        }
    }
}
