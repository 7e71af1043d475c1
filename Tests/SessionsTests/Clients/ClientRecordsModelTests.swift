import JSON
import Sessions
import StoreHosting
import Stores
import StoresTesting
import Testing

/// Random requests of several clients, against a list of everything that was ever decided.
@Suite struct ClientRecordsModelTests {
    @Test func recordsAreAsTheListOfAllCallsSays() {
        var counts: [String: Int] = [:]
        for seed in 1...12 as ClosedRange<UInt64> {
            var model = ClientModel(seed: seed)
            for _ in 0..<1000 where model.faults.isEmpty { model.step() }
            #expect(model.faults == [], "seed \(seed)")
            counts.merge(model.counts, uniquingKeysWith: +)
        }
        // Or a part of the rules was never asked.
        #expect(counts.count == 10 && counts.allSatisfy { $0.value > 20 }, "\(counts)")
    }
}

/// A client as the model knows it.
private struct ModelClient {
    let key: ClientKey
    let actor: Int
    /// Nil if it has no record. Its first kept number.
    var from: Int?
    var usedAt = 0
    var told = 0
    var streamCount = 0
    var last = 0
    var mark = ""

    var isEmpty: Bool { last == 0 }
}

/// An entry of a record that was decided.
private struct DecidedEntry: Hashable {
    let mark: String
    let number: Int
}

private struct ClientModel {
    private static let tenMinutes = 600_000
    private static let hashes = (0..<199).map {
        EntryHasher(secret: [1]).hash([], ifMatch: nil, $0, of: ClientKey("AAAAAAAAAAAAAAAAAAAAAA", .holder))
    }

    private(set) var faults: [String] = []
    /// How often each case came.
    private(set) var counts: [String: Int] = [:]
    private var random: SeededGenerator
    private var limits = ClientLimits()
    private var records: ClientRecords
    private var keyID = 0
    private var clients: [ModelClient] = []
    /// Everything that was ever decided.
    private var decided: [DecidedEntry: [KeptOutcome]] = [:]
    private var stored: [String: ClientRow] = [:]
    private var now = 0
    private var markCount = 0
    /// The decision number, and the number of each client, that a stream was told.
    private var seen: (decision: Int, told: [Int]) = (0, [])

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        limits.maxClients = 6
        limits.maxOfActor = 3
        limits.maxBytes = 2500
        records = ClientRecords(limits, keyID: keyID)
        for index in 0..<16 {
            let id = "\(index)" + String(repeating: "-", count: index < 10 ? 21 : 20)
            let actor = index % 4
            let scope = actor == 0 ? ClientScope.holder : .actor(.user(ActorID("user\(actor)")))!
            clients.append(ModelClient(key: ClientKey(id, scope), actor: actor))
        }
        seen.told = clients.map { _ in 0 }
    }

    mutating func step() {
        let index = Int.random(in: clients.indices, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: create(index)
        case 3...13: request(index)
        case 14: changeStream(index)
        case 15: read(index)
        case 16: look()
        case 17: if Int.random(in: 0..<4, using: &random) == 0 { reload() }
        default: now += [1000, 60_000, 300_000, 700_000, 86_400_000].randomElement(using: &random)!
        }
    }

    private mutating func expect(_ isTrue: Bool, _ text: @autoclosure () -> String) {
        if !isTrue { faults.append(text()) }
    }

    private mutating func count(_ name: String) { counts[name, default: 0] += 1 }

    // MARK: Steps

    private mutating func create(_ index: Int) {
        let isKnown = clients[index].from != nil
        let hasRoom = victims(for: index, at: now) != nil
        markCount += 1
        let mark = String(repeating: "0", count: 8 - "\(markCount)".utf8.count) + "\(markCount)"
        switch records.create(clients[index].key, mark: { mark }, now: now) {
        case .known: expect(isKnown, "known without a record")
        case .full(let retryAfter):
            expect(!isKnown && !hasRoom, "full, and there is room")
            expectTrue(retryAfter, for: index)
            count("full")
        case .made(let change):
            count("made")
            expect(!isKnown && hasRoom, "made without room")
            store(change)
            clients[index].from = 1
            (clients[index].usedAt, clients[index].told, clients[index].last) = (now, 0, 0)
            clients[index].mark = mark
            for other in clients.indices where other != index && clients[other].from != nil {
                guard records.told(clients[other].key) == nil else { continue }
                let isOld = now - clients[other].usedAt > limits.retention
                expect(clients[other].streamCount == 0 || clients[other].isEmpty, "a stream is open")
                expect(clients[other].isEmpty || isOld, "an entry was forgotten for an empty record")
                expect(isOld || mayTake(emptyOf: other, for: index), "an empty record of another actor was forgotten")
                clients[other].from = nil
            }
        }
    }

    /// Whether no empty record of its own could make room for a client.
    private func mayTake(emptyOf other: Int, for index: Int) -> Bool {
        let actor = clients[index].actor
        return clients[other].actor == actor
            || !clients.indices.contains {
                $0 != index && clients[$0].actor == actor && clients[$0].from != nil && clients[$0].isEmpty
            }
    }

    private mutating func request(_ index: Int) {
        let (key, client) = (clients[index].key, clients[index])
        expect(records.turns.begin(key) == .begins, "the turn is taken")
        defer { _ = records.turns.end(key) }
        let from = max(1, client.last + Int.random(in: -4...3, using: &random))
        let count = Int.random(in: 1...5, using: &random)
        let numbers = from..<from + count
        let isAnother = Int.random(in: 0..<8, using: &random) == 0
        let hashes = numbers.map { hash($0, of: index, isAnother: isAnother && $0 == from) }
        let plan = records.plan(key, from: from, hashes)
        guard let kept = client.from else { return expect(plan == .forgotten, "\(plan) without a record") }
        let known = numbers.prefix { $0 <= client.last }.map { outcome($0, of: index) }
        let isEqual = zip(known, hashes).allSatisfy { $0?.hash == nil || $0?.hash == $1 }
        guard from >= kept, isEqual else {
            self.count("conflict")
            return expect(plan == .conflict(from: kept, through: client.last), "\(plan) is no conflict")
        }
        expect(plan == .run(replays: known.compactMap(\.self), from: from), "\(plan), known \(known)")
        expect(known.allSatisfy { $0 != nil }, "an outcome is missing")
        if !known.isEmpty { self.count("replayed") }
        clients[index].from = min(max(kept, from), client.last + 1)
        let rest = Array(zip(numbers, hashes).dropFirst(known.count))
        guard !rest.isEmpty, makeRoom(index) else { return }
        decide(rest, index)
    }

    private mutating func decide(_ entries: [(number: Int, hash: EntryHash)], _ index: Int) {
        let key = clients[index].key
        var waiting: [KeptOutcome] = []
        for (place, entry) in entries.enumerated() {
            let outcome = KeptOutcome(entry.hash, revision: entry.number, decision())
            decided[DecidedEntry(mark: clients[index].mark, number: entry.number), default: []].append(outcome)
            waiting.append(outcome)
            if place < entries.count - 1, Bool.random(using: &random) { continue }
            let tag = EntryTag(key, entry.number)
            if Bool.random(using: &random) { records.advance(tag) }
            guard let change = records.decide(tag, waiting, now: now) else {
                return expect(false, "no record to decide with")
            }
            store(change)
            waiting = []
            count("decided")
        }
        // The record forgets all outcomes before a gap in the numbers.
        if entries[0].number > clients[index].last + 1 { clients[index].from = entries[0].number }
        clients[index].last = entries[entries.count - 1].number
        (clients[index].told, clients[index].usedAt) = (clients[index].last, now)
    }

    private mutating func makeRoom(_ index: Int) -> Bool {
        let expected = victims(for: index, at: now)
        switch records.makeRoom(for: clients[index].key, now: now) {
        case .free:
            expect(expected != nil, "room where there is none")
            let gone = clients.indices.filter { clients[$0].from != nil && records.told(clients[$0].key) == nil }
            expect(Set(gone) == Set(expected ?? []), "\(gone) are forgotten, not \(expected ?? [])")
            if !gone.isEmpty { count("forgotten") }
            for other in gone { clients[other].from = nil }
            return true
        case .none(let retryAfter):
            expect(expected == nil, "no room where there is some")
            count("refused")
            expectTrue(retryAfter, for: index)
            return false
        }
    }

    private mutating func changeStream(_ index: Int) {
        let key = clients[index].key
        if clients[index].streamCount > 0, Bool.random(using: &random) {
            clients[index].streamCount -= 1
            clients[index].usedAt = now
            records.streamClosed(key, now: now)
        } else if clients[index].streamCount < 2, Int.random(in: 0..<3, using: &random) == 0 {
            clients[index].streamCount += 1
            records.streamOpened(key)
        }
        if let change = records.use(key, now: now) { store(change) }
        if clients[index].from != nil { clients[index].usedAt = now }
    }

    private mutating func read(_ index: Int) {
        let client = clients[index]
        let plan = records.plan(client.key, from: 1, [])
        guard let from = client.from else { return expect(plan == .forgotten, "\(plan) without a record") }
        let kept = from <= client.last ? (from...client.last).map { outcome($0, of: index)! } : []
        expect(plan == .run(replays: kept, from: from), "\(plan) is read, not \(kept)")
        count("read")
    }

    /// An event tells each client with entries since the event before.
    private mutating func look() {
        let told = clients.map { $0.from == nil ? 0 : $0.told }
        let changed = clients.indices.filter { told[$0] > 0 && told[$0] != seen.told[$0] }
        let entries = changed.map { ToldEntry(mark: clients[$0].mark, number: told[$0]) }
        switch records.marks(after: seen.decision, limit: 4) {
        case .none: expect(changed.isEmpty, "an event names nobody, not \(entries)")
        case .names(let names):
            let texts = Set(names.map { "\($0.mark) \($0.number)" })
            // A record that was made again names an equal number once more.
            expect(
                texts.isSuperset(of: entries.map { "\($0.mark) \($0.number)" }), "\(names) are named, not \(entries)")
            expect(names.count <= 4 && texts.count == names.count, "\(names)")
            count("named")
        case .tooMany:
            expect(records.entries(after: seen.decision).count > 4, "too many are \(entries)")
        }
        for (key, entry) in records.entries(after: seen.decision) {
            expect(clients.contains { $0.key == key && $0.mark == entry.mark && $0.told == entry.number }, "\(entry)")
        }
        seen = (records.decision, told)
    }

    /// A restart, or another node; sometimes with another secret.
    private mutating func reload() {
        count("reloaded")
        if Int.random(in: 0..<4, using: &random) == 0 {
            keyID += 1
            decided = decided.mapValues { $0.map { KeptOutcome(nil, revision: $0.revision, $0.decision) } }
        }
        records = ClientRecords(limits, keyID: keyID)
        expect(records.restore(Array(stored.values), now: now) == [], "a row cannot be read")
        for index in clients.indices {
            clients[index].streamCount = 0
            // Records that were forgotten come back if no change told the journal.
            guard let told = records.told(clients[index].key) else {
                expect(clients[index].from == nil, "a record is lost")
                continue
            }
            expect(clients[index].from == nil || clients[index].told == told.entry.number, "a number is lost")
            guard case .run(let kept, let from) = records.plan(clients[index].key, from: 1, []) else { continue }
            // Floors that moved alone are not stored: more is kept than before.
            expect(clients[index].from.map { $0 >= from } ?? true, "outcomes are lost")
            (clients[index].from, clients[index].mark) = (from, told.entry.mark)
            (clients[index].told, clients[index].last) = (told.entry.number, from - 1 + kept.count)
            clients[index].usedAt = storedUse(told.entry.mark) ?? 0
        }
        seen = (0, clients.map { $0.from == nil ? 0 : $0.told })
    }

    // MARK: The list

    private func outcome(_ number: Int, of index: Int) -> KeptOutcome? {
        let found = decided[DecidedEntry(mark: clients[index].mark, number: number)] ?? []
        return found.count == 1 ? found[0] : nil
    }

    /// The rules of room, one record after the other.
    private func victims(for index: Int, at moment: Int) -> [Int]? {
        var left = clients.indices.filter { clients[$0].from != nil && !clients[$0].isEmpty }
        let empty = clients.indices.filter { clients[$0].from != nil && clients[$0].isEmpty }
        let needsPlace = clients[index].from == nil || clients[index].isEmpty
        var victims: [Int] = []
        while true {
            let own = left.filter { clients[$0].actor == clients[index].actor }
            let isOfActor = needsPlace && clients[index].actor != 0 && own.count >= limits.maxOfActor
            let bytes = (left + empty).reduce(0) { $0 + (stored[clients[$1].mark]?.content.count ?? 0) }
            guard isOfActor || needsPlace && left.count >= limits.maxClients || bytes > limits.maxBytes else {
                return victims
            }
            let free = left.filter {
                $0 != index && clients[$0].streamCount == 0 && clients[$0].usedAt + Self.tenMinutes <= moment
            }
            let ownFree = free.filter { own.contains($0) }
            let count = { (actor: Int) in left.count { clients[$0].actor == actor } }
            let rank = { (one: Int) in (-count(clients[one].actor), clients[one].usedAt, clients[one].mark) }
            let group = isOfActor || !ownFree.isEmpty ? ownFree : free
            guard let victim = group.min(by: { rank($0) < rank($1) }) else { return nil }
            victims.append(victim)
            left.removeAll { $0 == victim }
        }
    }

    /// Expects that the same call fails a second before the time, and succeeds at the time.
    private mutating func expectTrue(_ retryAfter: Int, for index: Int) {
        var later = records
        guard retryAfter > 0, clients[index].streamCount >= 0 else { return expect(false, "\(retryAfter) s") }
        for other in clients.indices where other != index {
            // A stream that stays open is not foreseen.
            for _ in 0..<clients[other].streamCount { later.streamClosed(clients[other].key, now: now) }
        }
        let key = clients[index].key
        var before = later
        expect(later.makeRoom(for: key, now: now + retryAfter * 1000) == .free, "no room after \(retryAfter) s")
        let isNone = before.makeRoom(for: key, now: now + (retryAfter - 1) * 1000) != .free
        expect(isNone, "room before \(retryAfter) s")
    }

    private mutating func decision() -> KeptOutcome.Decision {
        let decisions: [KeptOutcome.Decision] = [
            .committed(effects: []), .committed(effects: ["mail.send"]), .ignored, .mismatched,
            .rejected(reason: "sold-out", index: 2), .refused(problem: Array(#"{"status":422}"#.utf8)),
        ]
        return decisions.randomElement(using: &random)!
    }

    private func hash(_ number: Int, of index: Int, isAnother: Bool) -> EntryHash {
        Self.hashes[(number * 7 + index + keyID * 31 + (isAnother ? 1 : 0)) % Self.hashes.count]
    }

    private mutating func store(_ change: ClientChange) {
        if let row = change.put { stored[row.mark] = row }
        for mark in change.dropped { stored[mark] = nil }
    }

    private func storedUse(_ mark: String) -> Int? {
        stored[mark].flatMap { try? JSONValue(parsing: $0.content)["u"]?.asInteger }
    }
}
