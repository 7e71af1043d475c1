import Foundation
import JSON
import Journal
import Locks
import Sessions
import StoreHosting
import StorehouseServer
import Stores
import Testing

/// A session whose rows are damaged.
@Suite struct DamagedSessionTests {
    @Test func aMemberWhoseTypeHasChangedNeedsAMigration() async throws {
        struct Old: Sendable { var attempts = 0 }
        struct New: Sendable { var attempts = "" }
        let old = StoreDefinition("login", "Attempts.", Old()) {
            Member("attempts", \.attempts)
            Action("fail", "Counts.") { $0.attempts += 1 }
        }
        let new = StoreDefinition("login", "Attempts.", New()) { Member("attempts", \.attempts) }
        let durable = try DurableServer()
        let path = try await TestAPI.run(kinds: [old.kind], journal: try await durable.open()) {
            api in
            let session = try await api.session("login")
            _ = try await session.dispatch("login/fail", [:])
            return session.path
        }
        try await TestAPI.run(kinds: [new.kind], journal: try await durable.open()) { api in
            let answer = try await api.get(path + "/state")
            #expect(answer.status == 500)
            let detail = answer.json["detail"]?.asString ?? ""
            #expect(detail.hasSuffix("/attempts must be a string."))
            #expect(api.log.text.contains("add a migration to the definition of the store."))
        }
        // Whoever asks for it again and again does not fill the log.
        try await TestAPI.run(kinds: [new.kind], clock: ManualClock().clock, journal: try await durable.open()) {
            api async throws in
            for _ in 0..<LineBudget.limit + 5 { #expect(try await api.get(path + "/state").status == 500) }
            let lines = api.log.text.split(separator: "\n").filter { $0.contains(" session cannot be read ") }
            #expect(lines.count == LineBudget.limit)
        }
    }

    /// Alters a byte of a text in a file.
    private static func alter(_ text: String, in path: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.range(of: Data(text.utf8)))
        bytes[place.lowerBound] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// In token mode. The row of the session still tells its owner, unless that is damaged too.
    @Test(arguments: [("counter/decrement", 500), ("alice", 403)])
    func nobodyButItsOwnerLearnsOfIt(altered: String, status: Int) async throws {
        let durable = try DurableServer()
        let path = try await durable.runAPI(configuration: TestTokens.configuration()) { api in
            let path = try await api.sessionPath(of: "alice")
            let decrement: JSONValue = ["type": "counter/decrement"]
            #expect(try await api.send("POST", path + "/actions", as: "alice", nil, decrement).status == 200)
            return path
        }
        try Self.alter(altered, in: durable.path)
        try await durable.runAPI(configuration: TestTokens.configuration()) { api async throws in
            let listed: JSONValue = ["sessions": [.string(String(path.dropFirst("/sessions/".count)))]]
            for path in [path, path + "/state", path + "/events"] {
                #expect(try await api.send("GET", path, as: "bob").status == 403)
                #expect(try await api.send("GET", path, as: "bob", listed).code == "internal-error")
                #expect(try await api.send("GET", path, as: "alice").status == status)
            }
            #expect(try await api.get("/admin" + path, TestTokens.field(TestTokens.admin)).status == 500)
        }
    }

    @Test func itIsRefusedAndNamedWhileTheOthersAreServed() async throws {
        let durable = try DurableServer()
        let (whole, damaged) = try await durable.runAPI { api in
            let (whole, damaged) = (try await api.session(), try await api.session())
            _ = try await whole.dispatch("counter/increment", [:])
            for _ in 1...3 { _ = try await damaged.dispatch("counter/decrement", [:]) }
            return (whole.path, damaged.path)
        }
        try Self.alter("counter/decrement", in: durable.path)
        let events = Locked<[StorageEvent]>([])
        let id = String(damaged.dropFirst("/sessions/".count))
        let journal = try await durable.open {
            try SQLiteJournal(path: $0, report: { event in events.withLock { $0.append(event) } })
        }
        try await TestAPI.run(journal: journal) { api in
            let requests = [
                TestRequest("GET", damaged), TestRequest("GET", damaged + "/state"),
                TestRequest("GET", damaged + "/actions"), TestRequest("GET", damaged + "/events"),
                TestRequest("POST", damaged + "/actions", json: ["type": "counter/increment"]),
            ]
            for request in requests {
                let answer = try await api.send(request)
                #expect(answer.status == 500 && answer.json["code"] == "internal-error")
            }
            #expect(try await api.get(whole + "/state?select=/counter/count").json["state"] == 1)
        }
        let named = events.withLock(\.self).compactMap { event -> String? in
            if case .damaged(let session, _) = event { session } else { nil }
        }
        #expect(named.count == 5 && Set(named) == [id])
        #expect(try SQLiteStorage.verify(durable.path).problems.count { $0.hasPrefix("session \(id): ") } == 1)
        // Nothing was committed to it. The operator deletes it.
        try SQLiteStorage.deleteSession(id, from: durable.path)
        try await durable.runAPI { api in
            let (deleted, other) = (try await api.get(damaged).status, try await api.get(whole).status)
            #expect(deleted == 410 && other == 200)
        }
    }
}
