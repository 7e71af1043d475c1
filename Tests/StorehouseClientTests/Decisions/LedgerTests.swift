import JSON
import StorehouseClient
import Testing

@Suite struct LedgerTests {
    private var ledger = Ledger()

    init() {
        ledger.confirmed = Confirmed(value: 0, revision: 5, history: "h", mark: "m1")
        ledger.load(client: "client", last: 0, sent: 0, [])
        for key in 1...3 { ledger.add(Entry(key: key, actions: [["type": "a/b"]])) }
        ledger.number([1, 2, 3])
    }

    private static func result(_ number: Int, _ outcome: String, _ revision: Int, history: String = "h") -> EntryResult?
    {
        EntryResult(
            ["n": .integer(number), "outcome": .string(outcome), "revision": .integer(revision)], history: history)
    }

    private mutating func decide(_ results: EntryResult?..., history: String = "h") {
        ledger.decide(results.compactMap(\.self), history: history, mark: "m1")
    }

    private mutating func take(_ type: String, _ data: String) throws -> Ledger.News {
        try ledger.take([StreamEvent(StreamedEvent(name: type, data: data, id: ""))])
    }

    @Test mutating func `a committed entry is done when the confirmed state contains it`() throws {
        decide(Self.result(1, "committed", 6))
        #expect(ledger.settle().isEmpty)
        _ = try take("patch", #"{"revision":6,"patch":[]}"#)
        #expect(ledger.settle().map(\.key) == [1])
        #expect(ledger.bytes == ledger.entries.reduce(0) { $0 + $1.bytes.count })
    }

    @Test mutating func `an entry that a value contains waits for its outcome`() throws {
        _ = try take("patch", #"{"revision":7,"patch":[],"through":{"m1":2}}"#)
        #expect(ledger.entries.map { ledger.contains($0) } == [true, true, false])
        #expect(ledger.settle().isEmpty)
        decide(Self.result(1, "committed", 6), Self.result(2, "committed", 7))
        #expect(ledger.settle().map(\.key) == [1, 2])
    }

    @Test(arguments: ["ignored", "rejected", "mismatched", "refused"])
    mutating func `other outcomes end an entry at once`(outcome: String) {
        decide(Self.result(2, outcome, 9))
        #expect(ledger.settle().map(\.key) == [2])
        #expect(ledger.takeDone() == [2])
        #expect(ledger.takeDone() == [])
    }

    @Test mutating func `no entry waits for a revision of a history that is gone`() throws {
        decide(Self.result(1, "committed", 9))
        let news = try take("ready", #"{"revision":2,"history":"k","mark":"m1"}"#)
        #expect(news.isOtherHistory)
        #expect(ledger.mustRead)
        #expect(ledger.isGone("h"))
        #expect(ledger.settle().map(\.key) == [1])
    }

    @Test mutating func `a stream without a mark has lost the record`() throws {
        ledger.isTold = true
        _ = try take("ready", #"{"revision":5,"history":"h"}"#)
        #expect(ledger.mustRead)
    }

    @Test mutating func `an error leaves all but the value as it was`() throws {
        let entries = ledger.entries
        #expect(throws: Confirmed.Misfit.self) { try take("patch", #"{"revision":6,"patch":[{"op":"x"}]}"#) }
        #expect(ledger.confirmed.revision == 5)
        #expect(ledger.confirmed.value == nil)
        #expect(ledger.entries == entries)
    }

    @Test mutating func `another client id begins anew, with the same numbers`() {
        ledger.sent = 2
        ledger.isTold = true
        ledger.rename("other")
        #expect(ledger.client == "other")
        #expect(ledger.sent == 0)
        #expect(!ledger.isTold)
        #expect(ledger.confirmed.mark == nil)
        #expect(Array(ledger.queue.map(\.number)) == [1, 2, 3])
    }

    @Test func `entries that came before the outbox was loaded stand behind the stored ones`() {
        var ledger = Ledger()
        ledger.add(Entry(key: 1, actions: [["type": "new"]]))
        ledger.load(
            client: "client", last: 4, sent: 4, [Entry(key: 2, actions: [["type": "old"]], number: 5)])
        ledger.number([1])
        #expect(ledger.entries.map(\.number) == [5, 6])
        #expect(ledger.isTold)
    }

    @Test mutating func `there is room for a thousand entries and a mebibyte`() {
        // With `{"actions":[""]}` around it.
        func entry(_ size: Int) -> Entry {
            Entry(key: 9, actions: [.string(String(repeating: "x", count: size - 16))])
        }
        #expect(ledger.hasRoom(for: entry(65_536)))
        #expect(!ledger.hasRoom(for: entry(65_537)))
        for key in 4...1000 { ledger.add(Entry(key: key, actions: [])) }
        #expect(!ledger.hasRoom(for: Entry(key: 9, actions: [])))
    }
}
