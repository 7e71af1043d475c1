import JSON
import Journal
import RedisJournal
import RedisTesting
import StoreHosting
import Stores
import Testing

/// Sessions that are imported are in the lists of their owners and members.
@Suite("An imported session", .timeLimit(.minutes(5)))
struct ImportedMembersTests {
    @Test("is in the lists of its owner and of its members", arguments: DurableStorage.allCases)
    func lists(kind: DurableStorage) async throws {
        let source = try DurableStorage.sqlite.make()
        guard let file = source as? JournalFile else { throw Missing(id: "file") }
        let first = try file.openJournal()
        let session = first.create(Parcel.session("parcel", "ada"))
        Parcel.store(session).weigh(3)
        #expect(await session.awaitDurable() == nil)
        await first.closed()
        let document = try SQLiteStorage.export("parcel", from: file.path, withOwner: true)
        let target = try kind.make()
        func members(_ header: SessionHeader, _ state: StateSnapshot) -> [ActorID] {
            [ActorID(String(decoding: state.json, as: UTF8.self)), "bob"]
        }
        if let target = target as? JournalFile {
            _ = try SQLiteStorage.insert(document, into: target.path, as: nil, members: members)
        } else if let redis = target as? RedisServer {
            // The first server makes the storage.
            await (try target.openJournal()).closed()
            try redis.reading(isReader: false) { _ = try $0.insert(document, as: nil, members: members) }
        }
        let journal = try target.openJournal()
        for (subject, role) in [("ada", SessionRole.owner), ("bob", .member), ("{\"weight\":3}", .member)] {
            for role in [role, nil] {
                let found = try await journal.sessions(of: Subject(subject), as: role, after: nil, limit: 10)
                #expect(found.map(\.header.id) == ["parcel"], "\(subject)")
            }
        }
        #expect(try await journal.sessions(of: "bob", as: .owner, after: nil, limit: 10).isEmpty)
        journal.end("parcel", at: Step.moment)
        try await eventually {
            try await journal.sessions(of: "bob", as: nil, after: nil, limit: 10).isEmpty
        }
        await journal.closed()
    }

}
