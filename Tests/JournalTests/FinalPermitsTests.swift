import Journal
import RedisTesting
import StoreHosting
import Testing

@Suite("The permits of an ended session")
struct FinalPermitsTests {
    /// The changes of the permits of each session, by its id.
    private static let changes: [String: @Sendable (inout ModelPermits) -> [PermitChange]] = [
        "none": { _ in [] },
        "made": { permits in [permits.make(), permits.make()] },
        "one": { permits in [permits.make(), permits.make(), permits.revoke()] },
        "last": { permits in [permits.make(), permits.revoke()] },
        "several": { permits in
            [permits.make(), permits.make(), permits.make(), .revoked([permits.take(), permits.take()])]
        },
        "all": { permits in [permits.make(), permits.revokeAll(), permits.make()] },
    ]

    @Test(
        "are known as long as it is remembered, whoever has ended it, unless it never had any",
        arguments: DurableStorage.allCases, [true, false])
    func known(kind: DurableStorage, isHeld: Bool) async throws {
        let storage = try kind.make()
        var journal = try storage.openJournal()
        var (left, made) = ([String: ModelPermits](), [String: [String]]())
        for (id, change) in Self.changes {
            let session = journal.create(Step.session(id))
            var permits = ModelPermits()
            for change in change(&permits) {
                if case .made(let record, _) = change { made[id, default: []].append(record.id) }
                session.record(change)
            }
            left[id] = permits
            #expect(await session.awaitDurable() == nil)
            if isHeld { session.end(at: Step.moment) } else { journal.end(id, at: Step.moment) }
            #expect(try await journal.found(id).word == "ended")
        }
        for _ in 0..<2 {
            for (id, permits) in left {
                let found = try await journal.permits(ofEnded: id)
                #expect((found == nil) == (id == "none"), "\(id)")
                #expect(found?.generation ?? 0 == permits.generation, "\(id)")
                for permit in made[id] ?? [] {
                    #expect(found?.contains(permit) == permits.records.contains { $0.id == permit }, "\(id)")
                }
                #expect(found?.contains("") != true)
            }
            #expect(try await journal.permits(ofEnded: "unknown") == nil)
            await journal.closed()
            journal = try storage.openJournal()
        }
        await journal.closed()
        #expect(try storage.problems().isEmpty)
    }

    @Test("are not known if an earlier release has ended it", arguments: DurableStorage.allCases)
    func earlierRelease(kind: DurableStorage) async throws {
        let storage = try kind.make()
        let journal = try storage.openJournal()
        let session = journal.create(Step.session())
        for change in ModelPermits.oneOfEach { session.record(change) }
        session.end(at: Step.moment)
        #expect(await session.awaitDurable() == nil)
        #expect(try await journal.permits(ofEnded: "session") != nil)
        await journal.closed()
        if let file = storage as? JournalFile { try file.change("DELETE FROM permits") }
        if let redis = storage as? RedisServer {
            let key = try #require(try redis.execute("KEYS", "{test}:s:*").first)
            try redis.execute(
                "EVAL", "return redis.call('SET', KEYS[1], cmsgpack.pack({'', ''}), 'PX', 3900000)", "1", key)
        }
        let later = try storage.openJournal()
        #expect(try await later.found("session").word == "ended")
        #expect(try await later.permits(ofEnded: "session") == nil)
        await later.closed()
    }

    @Test("are deleted with it, and their terms before that")
    func deletion() async throws {
        let file = try JournalFile()
        let journal = try file.open()
        let session = journal.create(Step.session())
        var permits = ModelPermits()
        for _ in 0..<450 { session.record(permits.make()) }
        session.end(at: Step.moment)
        #expect(await session.awaitDurable() == nil)
        await journal.closed()
        let again = try file.open()
        #expect(try await again.permits(ofEnded: "session")?.contains(permits.take()) == true)
        await again.closed()
        #expect(try file.number("SELECT count(*) FROM permits") == 450)
        #expect(try file.number("SELECT count(*) FROM permits WHERE terms <> ''") == 0)
        let later = try file.open(now: { Step.moment + 4_000_000 })
        try await eventually { try file.number("SELECT count(*) FROM sessions") == 0 }
        #expect(try file.number("SELECT count(*) FROM permits") == 0)
        await later.closed()
    }
}
