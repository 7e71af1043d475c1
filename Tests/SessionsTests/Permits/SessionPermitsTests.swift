import JSON
import Security
import Sessions
import StoreHosting
import Stores
import Testing

@Suite("The permits of a session")
struct SessionPermitsTests {
    private func terms(_ id: String, until time: Int = 100, generation: Int = 0) -> PermitTerms {
        PermitTerms(id: id, Permissions([.read]), madeAt: time, expiresAt: time, generation: generation)
    }

    private func summary(_ terms: [PermitTerms], generation: Int = 0) -> SessionSummary {
        let header = SessionHeader(
            id: "a", kind: "b", schema: 1, createdAt: 0, forkedFrom: nil, historyID: "c",
            initial: StateSnapshot(json: Array("{}".utf8)))
        return SessionSummary(
            header: header, revision: 0, lastActiveAt: 0, shareGeneration: generation, permits: terms.map(\.record))
    }

    @Test("keep all of their terms in storage")
    func stored() throws {
        let all = PermitTerms(
            id: "a", Permissions([.act]), selection: "/a~1b/\u{e9}", actions: ["x/y", "x/\u{e9}"],
            holder: .guest("guest:1", name: "A \"b\"", roles: ["c"]), label: "", maker: .user("d", roles: ["c"]),
            madeAt: 1, expiresAt: 2, generation: 3)
        for terms in [all, self.terms("b")] {
            let read = try #require(PermitTerms(terms.record))
            #expect(read.record == terms.record && read.id == terms.id)
            #expect(read.holder == terms.holder && read.maker == terms.maker && read.actions == terms.actions)
            #expect(read.label == terms.label && read.permissions == terms.permissions)
        }
    }

    @Test("are lost rather than widened if a limit of theirs cannot be read")
    func unreadable() throws {
        let text = String(decoding: terms("a").record.content, as: UTF8.self)
        for (name, wrong) in [("as", "1"), ("actions", "{}"), ("may", "1"), ("select", "null"), ("maker", "{}")] {
            var json = try JSONValue(parsing: text).asObject ?? [:]
            json[name] = try JSONValue(parsing: wrong)
            let record = PermitRecord(id: "a", content: JSONValue.object(json).encoded())
            #expect(PermitTerms(record) == nil, "\(name)")
        }
    }

    @Test("are valid at their generation only, in whatever order changes come to the journal")
    func generations() {
        let permits = SessionPermits(of: summary([terms("old"), terms("new", generation: 1)], generation: 1))
        let listed = permits.all.map(\.id)
        #expect(permits["old"] == nil && permits["new"] != nil && listed == ["new"])
        let revoked = ["old", "new", "new"].map { permits.revoke($0) }
        #expect(revoked == [false, true, false])
        // One that was counted before all were revoked, and comes behind that.
        #expect(permits.makeRoom(limit: 1, now: 0) == .free(dropping: []))
        let change = permits.revokeAll()
        #expect(change.generation == 2 && change.ids.isEmpty)
        permits.add(terms("late", generation: 1))
        let all = permits.all
        #expect(permits["late"] == nil && all.isEmpty)
        #expect(permits.makeRoom(limit: 1, now: 0) == .free(dropping: ["late"]))
    }

    @Test("have room for a limit, which those count for that are not there yet, and expired ones do not")
    func room() {
        let permits = SessionPermits()
        let (generation, areInUse) = (permits.generation, permits.areInUse)
        #expect(generation == 0 && permits["a"] == nil && !areInUse)
        #expect(permits.makeRoom(limit: 2, now: 0) == .free(dropping: []))
        permits.add(terms("a", until: 10))
        #expect(permits.makeRoom(limit: 2, now: 0) == .free(dropping: []))
        #expect(permits.makeRoom(limit: 2, now: 0) == .none(until: 10))
        permits.add(terms("b", until: 20))
        #expect(permits.makeRoom(limit: 2, now: 9) == .none(until: 10))
        #expect(permits.makeRoom(limit: 2, now: 10) == .free(dropping: ["a"]))
        let revoked = permits.revokeAll()
        #expect(revoked.generation == 1 && revoked.ids == ["b"])
    }

    @Test("ask for a maker only until the last of its permits expires")
    func expiredMakers() {
        let maker = Actor.user("bob")
        let permits = SessionPermits()
        for time in [10, 20] {
            #expect(permits.makeRoom(limit: 2, now: 0) == .free(dropping: []))
            permits.add(
                PermitTerms(id: "\(time)", Permissions([.read]), maker: maker, expiresAt: time, generation: 0))
        }
        var asked: [Int] = []
        for now in [5, 19, 20, 30] {
            _ = permits.askForMakers(now: now) { _ in
                asked.append(now)
                return true
            }
        }
        #expect(asked == [5, 19])
        // The one that expires first is left.
        let isRevoked = permits.revoke("20")
        #expect(isRevoked)
        for now in [9, 10] {
            _ = permits.askForMakers(now: now) { _ in
                asked.append(now)
                return true
            }
        }
        #expect(asked == [5, 19, 9])
    }

    @Test("are in force at the end of the session if nobody has revoked them, and their makers may share")
    func atEnd() {
        let permits = SessionPermits()
        let (none, noneLapsed) = (permits.atEnd, permits.revokeLapsed())
        #expect(none == nil && noneLapsed.isEmpty)
        let made: [(String, Actor?)] = [
            ("own", nil), ("revoked", nil), ("bobs", .user("bob")), ("carols", .user("carol")),
        ]
        for (id, maker) in made {
            #expect(permits.makeRoom(limit: 9, now: 0) == .free(dropping: []))
            permits.add(PermitTerms(id: id, Permissions([.read]), maker: maker, expiresAt: 10, generation: 0))
        }
        _ = permits.revoke("revoked")
        _ = permits.askForMakers(now: 0) { $0 == .user("carol") }
        let lapsed = permits.revokeLapsed()
        let atEnd = permits.atEnd
        #expect(lapsed == ["bobs"] && atEnd?.generation == 0)
        let found = ["own", "revoked", "bobs", "carols", "", "ow", "own "].filter { atEnd?.contains($0) == true }
        #expect(found == ["own", "carols"])
        _ = permits.revokeAll()
        let later = permits.atEnd
        #expect(later == FinalPermits(generation: 1, ids: []))
    }

    @Test("know whether an action by one of them is in the store")
    func uses() {
        let permits = SessionPermits()
        permits.beginUse()
        permits.beginUse()
        permits.endUse()
        let areInUse = permits.areInUse
        permits.endUse()
        let areStillInUse = permits.areInUse
        #expect(areInUse && !areStillInUse)
    }
}
