import JSON
import Sessions
import StoreHosting
import Stores
import Testing

/// The decisions about the requests of clients.
@Suite struct ClientRecordsTests {
    private let one = ClientKey("AAAAAAAAAAAAAAAAAAAAAA", .holder)
    private let other = ClientKey("AAAAAAAAAAAAAAAAAAAAAQ", .actor(.user("alice"))!)
    private let hasher = EntryHasher(secret: [1, 2, 3])

    private func hash(_ number: Int, _ text: String = "entry") -> EntryHash {
        hasher.hash([.string(text)], ifMatch: nil, number, of: one)
    }

    private func records(_ clients: ClientKey...) -> ClientRecords {
        var records = ClientRecords(keyID: hasher.keyID)
        for (index, client) in clients.enumerated() { _ = records.create(client, mark: { "mark000\(index)" }, now: 0) }
        return records
    }

    private func decide(
        _ number: Int, _ decision: KeptOutcome.Decision = .committed(effects: []), of client: ClientKey? = nil,
        in records: inout ClientRecords
    ) -> KeptOutcome {
        let outcome = KeptOutcome(hash(number), revision: number, decision)
        _ = records.decide(EntryTag(client ?? one, number), [outcome], now: 0)
        return outcome
    }

    @Test func aRecordIsMadeOnce() throws {
        var records = ClientRecords(keyID: hasher.keyID)
        var marks = ["mark0000", "mark0000", "mark0001"]
        guard case .made(let change) = records.create(one, mark: { marks.removeFirst() }, now: 5) else {
            Issue.record("no record was made")
            return
        }
        #expect(change.put?.mark == "mark0000" && change.dropped.isEmpty)
        #expect(records.create(one, mark: { "mark0002" }, now: 6) == .known)
        _ = records.create(other, mark: { marks.removeFirst() }, now: 6)
        #expect(records.told(other)?.entry.mark == "mark0001", "a mark is given once")
    }

    @Test func nothingIsPlannedWithoutARecord() {
        var records = records()
        #expect(records.plan(one, from: 1, []) == .forgotten)
        #expect(records.plan(one, from: 1, [hash(1)]) == .forgotten)
        #expect(records.decide(EntryTag(one, 1), [], now: 0) == nil)
    }

    @Test func aRefusalThatDependsOnNoEntryComesFirst() {
        var records = records(one)
        for number in 1...3 { _ = decide(number, in: &records) }
        _ = records.plan(one, from: 3, [])
        guard case .forgotten? = records.refusal(of: other, from: 1),
            case .conflict(from: 3, through: 3)? = records.refusal(of: one, from: 2)
        else {
            Issue.record("it is not refused")
            return
        }
        #expect(records.refusal(of: one, from: 3) == nil && records.refusal(of: one, from: 9) == nil)
    }

    @Test func knownEntriesAreReplayedAndTheNextAreRun() {
        var records = records(one)
        let kept = [decide(1, in: &records), decide(2, .ignored, in: &records)]
        #expect(records.plan(one, from: 1, [hash(1), hash(2), hash(3)]) == .run(replays: kept, from: 1))
        #expect(records.plan(one, from: 1, [hash(1)]) == .run(replays: [kept[0]], from: 1))
        #expect(records.plan(one, from: 2, [hash(2), hash(3)]) == .run(replays: [kept[1]], from: 2))
        #expect(records.plan(one, from: 1, []) == .run(replays: [kept[1]], from: 2), "below 2 nothing is kept")
    }

    @Test func anotherEntryUnderANumberIsAConflictAndForgetsNothing() {
        var records = records(one)
        let kept = [decide(1, in: &records), decide(2, in: &records)]
        #expect(records.plan(one, from: 2, [hash(2, "another")]) == .conflict(from: 1, through: 2))
        #expect(records.plan(one, from: 1, []) == .run(replays: kept, from: 1))
    }

    @Test func aNumberBelowTheKeptIsAConflict() {
        var records = records(one)
        for number in 1...3 { _ = decide(number, in: &records) }
        _ = records.plan(one, from: 3, [])
        #expect(records.plan(one, from: 2, [hash(2), hash(3)]) == .conflict(from: 3, through: 3))
        #expect(records.plan(one, from: 99, []) == .run(replays: [], from: 99))
        #expect(records.plan(one, from: 3, [hash(3)]) == .conflict(from: 4, through: 3))
    }

    @Test func numbersMayBeSkipped() {
        var records = records(one)
        _ = decide(1, in: &records)
        #expect(records.plan(one, from: 9, [hash(9)]) == .run(replays: [], from: 9))
        let kept = decide(9, in: &records)
        #expect(records.plan(one, from: 9, [hash(9)]) == .run(replays: [kept], from: 9))
        #expect(records.plan(one, from: 8, [hash(8)]) == .conflict(from: 9, through: 9))
    }

    @Test func outcomesThatWaitedAreKeptWithTheNext() {
        var records = records(one)
        let outcomes = (1...3).map { KeptOutcome(hash($0), revision: 0, .refused(problem: Array("{}".utf8))) }
        _ = records.decide(EntryTag(one, 3), outcomes, now: 0)
        #expect(records.plan(one, from: 1, []) == .run(replays: outcomes, from: 1))
    }

    @Test func aHashOfAnotherKeyCountsAsEqual() throws {
        var records = records(one)
        let outcome = KeptOutcome(hash(1), revision: 1, .ignored)
        let row = try #require(records.decide(EntryTag(one, 1), [outcome], now: 0)?.put)
        var later = ClientRecords(keyID: hasher.keyID + 1)
        #expect(later.restore([row], now: 9) == [])
        #expect(
            later.plan(one, from: 1, [hash(1, "another")])
                == .run(replays: [KeptOutcome(nil, revision: 1, .ignored)], from: 1))
        // The next row has a hash of the new key, and none of the earlier.
        let change = later.decide(EntryTag(one, 2), [KeptOutcome(hash(2), revision: 2, .ignored)], now: 9)
        var last = ClientRecords(keyID: hasher.keyID + 1)
        #expect(last.restore([try #require(change?.put)], now: 9) == [])
        #expect(last.plan(one, from: 2, [hash(2, "another")]) == .conflict(from: 1, through: 2))
    }

    @Test(arguments: [
        KeptOutcome.Decision.committed(effects: []), .committed(effects: ["mail.send", "\u{e9}\"\n"]), .ignored,
        .rejected(reason: "sold-out", index: nil), .rejected(reason: "e\u{301}", index: 7), .mismatched,
        .refused(problem: Array(#"{"status":422,"detail":"a \"b\" \u0007","n":1.50}"#.utf8)),
    ])
    func anOutcomeIsStored(_ decision: KeptOutcome.Decision) throws {
        var records = records(other)
        let outcome = KeptOutcome(hash(4), revision: 7, decision)
        let row = try #require(records.decide(EntryTag(other, 4), [outcome], now: 3)?.put)
        var later = ClientRecords(keyID: hasher.keyID)
        #expect(later.restore([row], now: 9) == [])
        #expect(later.plan(other, from: 4, []) == .run(replays: [outcome], from: 4))
        #expect(later.told(other)?.entry.number == 4)
    }

    @Test func aRowOfALaterVersionIsReadAsFarAsItCan() throws {
        var records = records(one)
        let change = records.decide(EntryTag(one, 1), [KeptOutcome(hash(1), revision: 1, .ignored)], now: 3)
        let row = try #require(change?.put)
        var json = try #require(try JSONValue(parsing: row.content).asObject)
        json["later"] = ["x": 1]
        let rows = [
            ClientRow(mark: row.mark, content: JSONValue.object(json).encoded()),
            ClientRow(mark: "noobject", content: Array("[]".utf8)),
            ClientRow(mark: "nothings", content: Array("{}".utf8)),
            ClientRow(mark: "badvalue", content: Array(String(decoding: row.content, as: UTF8.self).utf8.dropLast())),
        ]
        var later = ClientRecords(keyID: hasher.keyID)
        #expect(later.restore(rows, now: 3) == ["noobject", "nothings", "badvalue"])
        #expect(later.told(one)?.entry == ToldEntry(mark: row.mark, number: 1))
    }

    /// Rows of earlier releases do not say that the holder of a share without a name is an actor.
    @Test func aRowWithoutItsActorGetsItWithTheNextEntry() throws {
        let share = ClientKey("AAAAAAAAAAAAAAAAAAAAAA", .permit("first"))
        var records = records(share)
        let change = records.decide(EntryTag(share, 1), [KeptOutcome(hash(1), revision: 1, .ignored)], now: 3)
        let row = try #require(change?.put)
        var json = try #require(try JSONValue(parsing: row.content).asObject)
        let actor = try #require(json["a"])
        json["a"] = nil
        var later = ClientRecords(keyID: hasher.keyID)
        #expect(later.restore([ClientRow(mark: row.mark, content: JSONValue.object(json).encoded())], now: 3) == [])
        #expect(later.told(share)?.entry.number == 1)
        let next = later.decide(EntryTag(share, 2), [KeptOutcome(hash(2), revision: 1, .ignored)], now: 4)
        #expect(try JSONValue(parsing: try #require(next?.put).content)["a"] == actor)
    }

    @Test func theTimeOfUseIsWrittenOnceADay() {
        var records = records(one)
        let day = 86_400_000
        #expect(records.use(one, now: day) == nil)
        let change = records.use(one, now: day + 1)
        #expect(change?.put?.mark == "mark0000")
        #expect(records.use(one, now: 2 * day + 1) == nil)
        #expect(records.use(one, now: 2 * day + 2) != nil)
        #expect(records.use(other, now: 9 * day) == nil)
    }

    @Test func eventsNameTheClientsWithNewEntries() {
        var records = records(one, other)
        #expect(records.marks(after: 0, limit: 64) == .none)
        _ = decide(1, in: &records)
        let seen = records.decision
        _ = decide(3, of: other, in: &records)
        _ = decide(2, in: &records)
        let (first, second) = (ToldEntry(mark: "mark0000", number: 2), ToldEntry(mark: "mark0001", number: 3))
        #expect(records.marks(after: seen, limit: 64) == .names([first, second]))
        #expect(records.marks(after: 0, limit: 2) == .names([first, second]))
        #expect(records.marks(after: 0, limit: 1) == .tooMany)
        #expect(records.entries(after: 0) == [one: first, other: second])
        #expect(records.marks(after: records.decision, limit: 64) == .none)
    }

    /// The commit is seen before the outcome is kept.
    @Test func anEntryIsToldOnce() {
        var records = records(one)
        records.advance(EntryTag(one, 1))
        #expect(records.marks(after: 0, limit: 64) == .names([ToldEntry(mark: "mark0000", number: 1)]))
        #expect(records.plan(one, from: 1, [hash(1)]) == .run(replays: [], from: 1))
        let seen = records.decision
        _ = decide(1, in: &records)
        #expect(records.decision == seen)
        #expect(records.marks(after: seen, limit: 64) == .none)
        records.advance(EntryTag(other, 1))
        #expect(records.decision == seen, "a client without a record has no mark to name")
    }
}
