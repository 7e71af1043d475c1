import JSON
import StorehouseServer
import Testing

/// Earlier states.
@Suite struct HistoryTests {
    @Test func everyStoredRevisionCanBeRead() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for _ in 1...200 { _ = try await session.increment() }
            for revision in [0, 1, 63, 64, 65, 128, 199, 200] {
                let response = try await session.read("/state?revision=\(revision)")
                #expect(response.status == 200)
                #expect(response.taggedRevision == revision)
                #expect(response.revision == revision)
                #expect(response.at("/state/counter/count") == .integer(revision))
                #expect(response[json: "state"]?.asObject?.count == 9)
                let narrowed = try await session.read("/state?revision=\(revision)&select=/counter/count")
                #expect(narrowed[json: "state"] == .integer(revision))
            }
        }
    }

    @Test(arguments: [
        ("201", 404, "no-such-revision"), ("9223372036854775807", 404, "no-such-revision"),
        ("99999999999999999999", 404, "no-such-revision"), ("-1", 400, "malformed-request"),
        ("", 400, "malformed-request"), ("one", 400, "malformed-request"), ("+1", 400, "malformed-request"),
        ("1.0", 400, "malformed-request"),
    ])
    func invalidRevisionsAreRefused(_ revision: String, _ status: Int, _ code: String) async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for _ in 1...2 { _ = try await session.increment() }
            let response = try await session.read("/state?revision=\(revision)")
            #expect(response.status == status)
            #expect(response.code == code)
        }
    }

    @Test func revisionsBeyondRetentionAreGone() async throws {
        try await TestAPI.run(configuration: .with { $0.storage.keepCommits = 4 }) { api in
            let session = try await api.session()
            for _ in 1...40 { _ = try await session.increment() }
            let response = try await session.read("/state?revision=3")
            #expect(response.status == 410)
            #expect(response.code == "revision-gone")
            #expect(response[json: "reason"] == "retention")
            let oldest = try #require(response[json: "oldest"]?.asInteger)
            #expect((30...37).contains(oldest))
            #expect(try await session.read("/state?revision=\(oldest)").revision == oldest)
            for revision in 36...40 {
                #expect(
                    try await session.read("/state?revision=\(revision)").at("/state/counter/count")
                        == .integer(revision))
            }
        }
    }

    @Test func theConditionIsThatOfTheRevision() async throws {
        try await TestAPI.run { api in
            let session = try await api.session()
            for _ in 1...2 { _ = try await session.increment() }
            for (revision, other) in [(1, 2), (2, 1)] {
                let path = "/state?revision=\(revision)"
                #expect(try await session.read(path, [("If-None-Match", "\"\(revision)\"")]).status == 304)
                #expect(try await session.read(path, [("If-None-Match", "\"\(other)\"")]).revision == revision)
            }
        }
    }
}
