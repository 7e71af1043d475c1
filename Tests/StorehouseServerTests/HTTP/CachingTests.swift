import JSON
import StorehouseServer
import Testing

/// How long caches may keep responses.
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

    /// A browser may keep a state, but must ask with its entity tag whether it is still the newest. A proxy may not keep it.
    @Test(arguments: [false, true])
    func aStateIsKeptByItsClientOnlyAndIsAskedForAgain(isByShare: Bool) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            _ = try await session.increment()
            let path = isByShare ? try await session.share().path : session.path
            let whole = try await api.get(path + "/state")
            let tag = try #require(whole["etag"])
            var answers = [
                whole, try await api.get(path + "/state?select=/counter"),
                try await api.send(TestRequest("HEAD", path + "/state")),
                try await api.get(path + "/state", [("If-None-Match", tag)]),
            ]
            if !isByShare { answers.append(try await api.get(path + "/state?revision=0")) }
            #expect(answers.map(\.status).prefix(4) == [200, 200, 200, 304])
            for answer in answers { #expect(answer["cache-control"] == "private, no-cache", "\(answer.status)") }
        }
    }

    /// The list of kinds, and each kind, are the same as long as the server runs, and after a restart.
    @Test(arguments: ["/stores", "/stores/app", "/stores/%70lanner"])
    func aDescriptionOfKindsIsAskedForAgainByItsTag(_ path: String) async throws {
        var tag = ""
        for _ in 0..<2 {
            try await TestAPI.run { api in
                let whole = try await api.get(path)
                #expect(whole.status == 200 && whole["cache-control"] == "private, no-cache")
                if !tag.isEmpty { #expect(whole["etag"] == tag) }
                tag = try #require(whole["etag"])
                for condition in [tag, "W/" + tag, "\"other\", " + tag, "*"] {
                    for method in ["GET", "HEAD"] {
                        let known = try await api.send(TestRequest(method, path, [("If-None-Match", condition)]))
                        #expect(known.status == 304 && known.body.isEmpty && known["etag"] == tag, "\(condition)")
                        #expect(known["cache-control"] == "private, no-cache")
                    }
                }
                let other = try await api.get(path, [("If-None-Match", "\"1.k2f9\"")])
                #expect(other.status == 200 && other.body == whole.body && other["etag"] == tag)
                #expect(try await api.get(path, [("If-None-Match", "none")]).code == "malformed-request")
            }
        }
    }
}
