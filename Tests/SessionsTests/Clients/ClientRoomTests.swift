import Sessions
import StoreHosting
import Stores
import Testing

/// Which record is forgotten for another one.
@Suite struct ClientRoomTests {
    private static let minute = 60_000
    private var limits = ClientLimits()

    init() {
        limits.maxClients = 4
        limits.maxOfActor = 3
    }

    private func client(_ number: Int, of user: String? = nil) -> ClientKey {
        client(number, in: user.flatMap { .actor(.user(ActorID($0))) } ?? .holder)
    }

    private func client(_ number: Int, in scope: ClientScope) -> ClientKey {
        let text = "\(number)"
        return ClientKey(text + String(repeating: "_", count: 22 - text.utf8.count), scope)
    }

    /// The clients that lose their empty records when these begin one after the other.
    private func lost(_ clients: [ClientKey], from records: inout ClientRecords) -> [ClientKey] {
        for (index, client) in clients.enumerated() {
            _ = records.create(client, mark: { "empty\(100 + index)" }, now: index)
        }
        return clients.filter { records.told($0) == nil }
    }

    /// Records with an entry each, made at these minutes.
    private func records(_ clients: [(client: ClientKey, minute: Int)]) -> ClientRecords {
        var records = ClientRecords(limits, keyID: 0)
        for (index, client) in clients.enumerated() {
            let now = client.minute * Self.minute
            _ = records.create(client.client, mark: { "mark000\(index)" }, now: now)
            _ = records.decide(
                EntryTag(client.client, 1), [KeptOutcome(nil, revision: 1, .committed(effects: []))], now: now)
        }
        return records
    }

    /// The records that are forgotten for the first entry of a new client.
    private func forgotten(
        _ records: inout ClientRecords, for client: ClientKey, of all: [ClientKey], minute: Int
    ) -> [ClientKey]? {
        let now = minute * Self.minute
        let mark = "new\(10_000 + records.decision)"
        guard case .made = records.create(client, mark: { mark }, now: now),
            records.makeRoom(for: client, now: now) == .free
        else { return nil }
        return all.filter { records.told($0) == nil }
    }

    @Test func theLongestUnusedOfItsOwnActorGoesFirst() {
        let all = [client(0), client(1, of: "a"), client(2, of: "a"), client(3, of: "b")]
        var records = records([(all[0], 0), (all[1], 2), (all[2], 1), (all[3], 0)])
        #expect(forgotten(&records, for: client(9, of: "a"), of: all, minute: 60) == [all[2]])
    }

    @Test func elseThatOfTheFullestActor() {
        let all = [client(0, of: "b"), client(1, of: "a"), client(2, of: "a"), client(3)]
        var records = records([(all[0], 0), (all[1], 2), (all[2], 1), (all[3], 0)])
        #expect(forgotten(&records, for: client(9, of: "c"), of: all, minute: 60) == [all[2]])
    }

    /// Or one user whose records are all in use could keep those of all others from being forgotten.
    @Test func elseThatOfTheNextActorIfTheFullestIsInUse() {
        let all = [client(0, of: "b"), client(1, of: "a"), client(2, of: "a"), client(3, of: "a")]
        var records = records([(all[0], 0), (all[1], 55), (all[2], 55), (all[3], 55)])
        #expect(forgotten(&records, for: client(9, of: "c"), of: all, minute: 60) == [all[0]])
    }

    @Test func anActorHasItsOwnLimit() {
        let all = [client(1, of: "a"), client(2, of: "a"), client(3, of: "a")]
        var records = records(all.map { ($0, 0) })
        #expect(records.create(client(4, of: "a"), mark: { "markmark" }, now: 0) == .full(retryAfter: 600))
        #expect(forgotten(&records, for: client(4, of: "a"), of: all, minute: 60) == [all[0]])
        // Whoever holds the id of the session has no limit of its own.
        var nameless = self.records((1...3).map { (client($0), 0) })
        #expect(forgotten(&nameless, for: client(4), of: [client(1), client(2), client(3)], minute: 0) == [])
    }

    @Test func aShareWithoutANameIsAnActor() {
        let (first, second) = (ClientScope.permit("first"), ClientScope.permit("second"))
        let all = [client(1, in: first), client(2, in: first), client(3, in: first)]
        var records = records(all.enumerated().map { ($1, $0) })
        #expect(records.create(client(4, in: first), mark: { "markmark" }, now: 0) == .full(retryAfter: 600))
        #expect(forgotten(&records, for: client(4, in: second), of: all, minute: 60) == [])
        _ = records.decide(EntryTag(client(4, in: second), 1), [KeptOutcome(nil, revision: 1, .ignored)], now: 0)
        #expect(forgotten(&records, for: client(5, in: first), of: all, minute: 60) == [all[0]])
    }

    @Test func nothingIsForgottenWithinTenMinutes() {
        let all = (0..<4).map { client($0) }
        var records = records([(all[0], 3), (all[1], 4), (all[2], 4), (all[3], 4)])
        let now = 5 * Self.minute
        #expect(records.create(client(9), mark: { "markmark" }, now: now) == .full(retryAfter: 480))
        #expect(records.create(client(9), mark: { "markmark" }, now: now + 479_001) == .full(retryAfter: 1))
        guard case .made = records.create(client(9), mark: { "markmark" }, now: now + 480_000) else {
            Issue.record("it must fit at that second")
            return
        }
        #expect(all.allSatisfy { records.told($0) != nil }, "an empty record takes no room")
        #expect(records.makeRoom(for: client(9), now: now + 480_000) == .free)
        #expect(records.told(all[0]) == nil)
    }

    @Test func aRequestAndAnOpenStreamAreUse() {
        let all = (0..<4).map { client($0) }
        var records = records(all.map { ($0, 0) })
        _ = records.turns.begin(all[0])
        records.streamOpened(all[1])
        records.streamOpened(all[1])
        records.streamClosed(all[1], now: 0)
        records.streamOpened(all[3])
        records.streamClosed(all[3], now: 59 * Self.minute)
        #expect(forgotten(&records, for: client(9), of: all, minute: 60) == [all[2]])
        _ = records.decide(EntryTag(client(9), 1), [KeptOutcome(nil, revision: 1, .ignored)], now: 60 * Self.minute)
        // A record that is in use is protected for ten minutes from now, at least.
        #expect(records.create(client(8), mark: { "markmark" }, now: 60 * Self.minute) == .full(retryAfter: 540))
        #expect(records.turns.end(all[0]) == nil)
        #expect(forgotten(&records, for: client(8), of: all, minute: 60) == [all[0], all[2]])
    }

    @Test func recordsBeyondTheRetentionAreForgottenWithTheNext() {
        let all = [client(0), client(1), client(2)]
        var records = records([(all[0], 0), (all[1], 1), (all[2], 0)])
        records.streamOpened(all[2])
        guard case .made(let change) = records.create(client(9), mark: { "markmark" }, now: limits.retention + 1) else {
            Issue.record("no record was made")
            return
        }
        #expect(change.dropped == ["mark0000"])
        #expect(records.told(all[0]) == nil && records.told(all[1]) != nil && records.told(all[2]) != nil)
    }

    @Test func theNextChangeTellsWhatWasForgotten() {
        let all = (0..<4).map { client($0) }
        var records = records(all.enumerated().map { ($1, $0) })
        #expect(forgotten(&records, for: client(9), of: all, minute: 60) == [all[0]])
        let outcomes = [KeptOutcome(nil, revision: 1, .ignored)]
        let change = records.decide(EntryTag(client(9), 1), outcomes, now: 60 * Self.minute)
        #expect(change?.dropped == ["mark0000"])
        #expect(records.decide(EntryTag(client(9), 2), outcomes, now: 60 * Self.minute)?.dropped == [])
    }

    @Test func allRecordsTogetherHaveALimit() {
        var limits = limits
        limits.maxBytes = 1000
        var records = ClientRecords(limits, keyID: 0)
        let long = KeptOutcome(nil, revision: 1, .rejected(reason: String(repeating: "x", count: 600), index: nil))
        for number in 0..<2 {
            #expect(records.makeRoom(for: client(number), now: 0) == .free)
            _ = records.create(client(number), mark: { "mark000\(number)" }, now: number)
            _ = records.decide(EntryTag(client(number), 1), [long], now: number)
        }
        #expect(records.makeRoom(for: client(1), now: 599_000) == .none(retryAfter: 1))
        #expect(records.makeRoom(for: client(1), now: 600_000) == .free)
        #expect(records.told(client(0)) == nil && records.told(client(1)) != nil)
    }

    @Test func emptyRecordsTakeNoRoomFromOthers() {
        let all = (0..<3).map { client($0) }
        var records = records(all.map { ($0, 0) })
        var stored: Set<String> = []
        for number in 100..<400 {
            let mark = "\(number)" + String(repeating: "m", count: 8 - "\(number)".utf8.count)
            guard case .made(let change) = records.create(client(number), mark: { mark }, now: number) else {
                Issue.record("an empty record must fit")
                return
            }
            stored.insert(mark)
            stored.subtract(change.dropped)
            #expect(stored.count <= limits.maxClients)
        }
        #expect(all.allSatisfy { records.told($0) != nil })
        #expect(records.told(client(399)) != nil && records.told(client(395)) == nil)
    }

    @Test func theEmptyRecordsOfAnActorHaveItsLimit() {
        let share = ClientScope.permit("first")
        let mine = (0..<5).map { client($0, in: share) }
        var records = records([])
        #expect(lost([client(0)] + mine, from: &records) == Array(mine[0..<2]))
    }

    @Test func anActorDoesNotPushOutTheEmptyRecordsOfAnother() {
        let (first, second) = (ClientScope.permit("first"), ClientScope.permit("second"))
        let mine = [client(1), client(2)]
        let others = [client(3, in: first), client(4, in: second), client(5, in: first), client(6, in: second)]
        var records = records([])
        #expect(lost(mine + others, from: &records) == Array(others[0..<2]), "there is room for four")
        // One who has none takes the place of the actor with most.
        var fresh = self.records([])
        #expect(lost([others[0]] + mine + [client(7), others[1]], from: &fresh) == [mine[0]])
    }

    @Test func anEmptyRecordInARequestIsNotForgotten() {
        var records = records([])
        for number in 0..<4 {
            _ = records.create(client(number), mark: { "mark000\(number)" }, now: number)
            _ = records.turns.begin(client(number))
        }
        #expect(records.create(client(9), mark: { "markmark" }, now: 9) == .full(retryAfter: 1))
        _ = records.turns.end(client(2))
        guard case .made(let change) = records.create(client(9), mark: { "markmark" }, now: 9) else {
            Issue.record("no record was made")
            return
        }
        #expect(change.dropped == ["mark0002"])
    }
}
