import JSON
import Locks
import StoreHosting
import Stores
import StoresTesting
import Testing

/// A state that an older program has kept.
@Suite struct MigrationTests {
    private final class Log: CommitRecorder {
        // Guards the records; taken inside the store's lock.
        let records = Locked<[CommitRecord]>([])

        func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
            #expect(state.revision == transaction.lastRevision)
            records.withLock { $0 += transaction.commits }
        }

        func isDurable(through revision: Int) -> Bool { true }

        func whenDurable(through revision: Int, _ done: @escaping @Sendable (JournalError?) -> Void) { done(nil) }

        var last: CommitRecord? { records.withLock { $0.last } }
        var count: Int { records.withLock { $0.count } }
    }

    private func old() -> StateSnapshot {
        let store = Locker.first.makeStore()
        let naming: JSONValue = ["type": "locker/name", "payload": ["name": "Ada"]]
        let look: JSONValue = ["type": "locker/look"]
        for action in [naming, look, look] { store.dispatch(action, DispatchOptions()) { _ in } }
        return store.snapshot().state
    }

    @Test(arguments: [(Locker.second, 2, "null"), (Locker.third, 3, "0.5")])
    func isMigratedByACommit(_ kind: StoreKind, _ schema: Int, _ weight: String) throws {
        #expect(kind.schema == schema)
        let log = Log()
        let kept = old()
        let store = try kind.makeStore(recorder: log, from: kept, revision: 3)
        #expect(log.count == 0)
        store.resume()
        #expect(store.revision == 4)
        let json = #"{"title":"Ada","weight":\#(weight)}"#
        #expect(String(decoding: store.read().json, as: UTF8.self) == json)
        let record = try #require(log.last)
        #expect(record.revision == 4)
        #expect(record.type == "store/migrated")
        #expect(record.payload == ["from": 1, "to": .integer(schema)])
        #expect(record.origin == .system)
        let before = try JSONValue(parsing: kept.json)
        #expect(try record.changes.applied(to: before) == JSONValue(parsing: json))
        #expect(record.hidden == Array(#"{"$schema":\#(schema),"looks":2}"#.utf8))
        // Once is enough.
        let again = try kind.makeStore(
            recorder: log, from: StateSnapshot(json: store.read().json, hidden: record.hidden), revision: 4)
        again.resume()
        #expect(again.revision == 4)
        again.dispatch(["type": "locker/look"], DispatchOptions()) { _ in }
        #expect(log.count == 2)
        #expect(log.last?.hidden == Array(#"{"$schema":\#(schema),"looks":3}"#.utf8))
    }

    @Test func stateOfANewerProgramIsRefused() throws {
        let kept = Locker.third.makeStore().snapshot().state
        for kind in [Locker.first, Locker.second] {
            #expect(throws: RestorationError.newerSchema(3, known: kind.schema)) {
                try kind.makeStore(from: kept, revision: 0)
            }
        }
        for told in ["0", "-1", #""2""#, "1.5", "null"] {
            let hidden = Array(#"{"$schema":\#(told),"looks":0}"#.utf8)
            #expect(
                throws: RestorationError.unreadable(
                    .hidden, at: .root.appending("$schema"), "must be a number from 1")
            ) {
                try Locker.third.makeStore(from: StateSnapshot(json: kept.json, hidden: hidden), revision: 0)
            }
        }
    }

    /// What a migration cannot make anything of is refused, and is no end of the process.
    @Test func aMigrationMayFail() throws {
        let kept = StateSnapshot(json: Array("{}".utf8), hidden: Array(#"{"$schema":2,"looks":0}"#.utf8))
        #expect(throws: RestorationError.unreadable(.state, at: .root.appending("title"), "is missing")) {
            try Locker.third.makeStore(from: kept, revision: 1)
        }
    }

    /// A new session of a newer kind is its own from the beginning.
    @Test func whatIsNewNeedsNoMigration() throws {
        #expect(Locker.second.initialSnapshot.hidden == Array(#"{"$schema":2,"looks":0}"#.utf8))
        let store = try Locker.second.makeStore(from: Locker.second.initialSnapshot, revision: 0)
        store.resume()
        #expect(store.revision == 0)
    }
}
