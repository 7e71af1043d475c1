import JSON
import Locks
import StoreHosting
import Stores
import StoresTesting
import Testing

/// Restoring states that an older program has persisted.
@Suite struct MigrationTests {
    private final class Log: CommitRecorder {
        // Guards the records; taken inside the store's lock.
        let records = Locked<[CommitRecord]>([])

        func append(_ transaction: CommitTransaction, _ state: borrowing StateView) {
            #expect(state.revision == transaction.lastRevision)
            records.withLock { $0 += transaction.commits }
        }

        func isDurable(through revision: Int) -> Bool { true }

        func whenDurable(through revision: Int, notify waiter: any DurabilityWaiter) { waiter.waitEnded(with: nil) }

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
        let persisted = old()
        let store = try kind.makeStore(recorder: log, from: persisted, revision: 3)
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
        let before = try JSONValue(parsing: persisted.json)
        #expect(try record.changes.applied(to: before) == JSONValue(parsing: json))
        #expect(record.privateState == Array(#"{"$schema":\#(schema),"looks":2}"#.utf8))
        // Once is enough.
        let again = try kind.makeStore(
            recorder: log, from: StateSnapshot(json: store.read().json, privateState: record.privateState), revision: 4)
        again.resume()
        #expect(again.revision == 4)
        again.dispatch(["type": "locker/look"], DispatchOptions()) { _ in }
        #expect(log.count == 2)
        #expect(log.last?.privateState == Array(#"{"$schema":\#(schema),"looks":3}"#.utf8))
    }

    @Test func stateOfANewerProgramIsRefused() throws {
        let persisted = Locker.third.makeStore().snapshot().state
        for kind in [Locker.first, Locker.second] {
            #expect(throws: RestorationError.newerSchema(3, known: kind.schema)) {
                try kind.makeStore(from: persisted, revision: 0)
            }
        }
        for schema in ["0", "-1", #""2""#, "1.5", "null"] {
            let privateState = Array(#"{"$schema":\#(schema),"looks":0}"#.utf8)
            #expect(
                throws: RestorationError.unreadable(
                    .privateState, at: "/$schema", "must be a number from 1")
            ) {
                try Locker.third.makeStore(
                    from: StateSnapshot(json: persisted.json, privateState: privateState), revision: 0)
            }
        }
    }

    /// A state that a migration cannot convert is refused, and does not end the process.
    @Test func aMigrationMayFail() throws {
        let persisted = StateSnapshot(json: Array("{}".utf8), privateState: Array(#"{"$schema":2,"looks":0}"#.utf8))
        #expect(throws: RestorationError.unreadable(.state, at: "/title", "is missing")) {
            try Locker.third.makeStore(from: persisted, revision: 1)
        }
    }

    /// A new session of a newer kind is its own from the beginning.
    @Test func whatIsNewNeedsNoMigration() throws {
        #expect(Locker.second.initialSnapshot.privateState == Array(#"{"$schema":2,"looks":0}"#.utf8))
        let store = try Locker.second.makeStore(from: Locker.second.initialSnapshot, revision: 0)
        store.resume()
        #expect(store.revision == 0)
    }
}
