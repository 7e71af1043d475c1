import JSON
import StorehouseClient
import StoresTesting
import Testing

@Suite struct OutboxMachineTests {
    private var machine = OutboxMachine { 0.5 }
    private var ledger = Ledger()

    init() { ledger.load(client: "client", last: 0, sent: 0, []) }

    private mutating func add(_ count: Int, size: Int = 0) {
        for _ in 0..<count {
            let key = ledger.last + 1
            let padding = JSONValue.string(String(repeating: "x", count: size))
            ledger.add(Entry(key: key, actions: [size == 0 ? ["type": "a/b"] : padding]))
            ledger.number([key])
        }
    }

    private static let begun: JSONValue = ["mark": "m", "history": "h", "revision": 0, "results": []]

    private mutating func answer(
        _ status: Int, _ body: JSONValue?, atLeast: Double = 0, at time: Double = 0
    ) -> OutboxMachine.Verdict? {
        guard let request = machine.next(&ledger, at: time) else { return nil }
        return machine.take(.init(status: status, body: body, atLeast: atLeast), to: request, &ledger, at: time)
    }

    private func json(_ request: OutboxMachine.Request?) -> JSONValue? {
        request.flatMap { try? JSONValue(parsing: $0.body(client: "c")) }
    }

    /// Begins the record.
    private mutating func begin() { _ = answer(200, Self.begun) }

    @Test mutating func `a record begins before the first entry`() {
        #expect(machine.next(&ledger, at: 0) == nil)
        add(1)
        let first = machine.next(&ledger, at: 0)
        #expect(json(first) == ["client": "c", "new": true, "from": 1, "entries": []])
        #expect(ledger.sent == 0)
        begin()
        let second = machine.next(&ledger, at: 0)
        #expect(json(second) == ["client": "c", "from": 1, "entries": [["actions": [["type": "a/b"]]]]])
        #expect(ledger.sent == 1)
    }

    @Test mutating func `a request has a hundred entries at most`() {
        add(120)
        begin()
        #expect(machine.next(&ledger, at: 0)?.entries.map(\.number) == (1...100).map { $0 })
    }

    @Test mutating func `a request has as many bytes as there is room`() {
        add(5, size: 20_000)
        begin()
        #expect(machine.next(&ledger, at: 0)?.entries.count == 3)
    }

    @Test(arguments: [0, 408, 429, 500, 502, 503, 504])
    mutating func `a loss leads to the same request again`(status: Int) {
        add(2)
        begin()
        guard case .proceed = answer(status, ["code": "x"], atLeast: 2000) else {
            Issue.record("another verdict")
            return
        }
        #expect(machine.wake == 2000)
        #expect(machine.next(&ledger, at: 2000)?.from == 1)
    }

    @Test mutating func `a status without a problem comes from a proxy`() {
        add(1)
        begin()
        guard case .proceed = answer(422, nil) else {
            Issue.record("another verdict")
            return
        }
        #expect(machine.next(&ledger, at: 0)?.entries.count == 1)
    }

    @Test mutating func `what was never sent is not forgotten with the record`() {
        add(1)
        begin()
        _ = answer(0, nil)
        add(1)
        guard case .forgotten(let unknown) = answer(409, ["code": "client-forgotten"]) else {
            Issue.record("another verdict")
            return
        }
        #expect(unknown == 1)
    }

    @Test mutating func `a conflict leaves all of the request unknown`() {
        add(3)
        begin()
        guard case .forgotten(let unknown) = answer(409, ["code": "sequence-conflict"]) else {
            Issue.record("another verdict")
            return
        }
        #expect(unknown == 3)
    }

    @Test mutating func `a request that is refused as a whole is halved until one entry is at fault`() {
        add(3)
        begin()
        guard case .proceed = answer(413, ["code": "payload-too-large"]) else {
            Issue.record("another verdict")
            return
        }
        #expect(ledger.sent == 0)
        guard case .proceed = answer(413, ["code": "payload-too-large"]) else {
            Issue.record("another verdict")
            return
        }
        guard case .decided(let results, _, _) = answer(413, ["code": "payload-too-large"]) else {
            Issue.record("another verdict")
            return
        }
        #expect(results.map(\.number) == [1])
        #expect(results.map(\.outcome) == [.refused])
    }

    @Test mutating func `an answer without an outcome is no success`() {
        add(2)
        begin()
        let other: JSONValue = ["n": 2, "outcome": "committed", "revision": 1]
        let nonsense: JSONValue = ["n": 1, "outcome": "perhaps"]
        let answers: [(Double, JSONValue)] = [(0, []), (500, [other]), (1500, [nonsense]), (3500, [5, "x"])]
        for (time, results) in answers {
            #expect(machine.wake == time)
            _ = answer(200, ["mark": "m", "history": "h", "revision": 1, "results": results], at: time)
        }
        #expect(machine.wake == 7500)
    }

    @Test mutating func `nothing that a server answers makes a loop`() {
        var random = SeededGenerator(seed: 38)
        add(3)
        for second in 0..<2000 {
            let time = Double(second) * 1000
            var count = 0
            while machine.wake <= time, let request = machine.next(&ledger, at: time) {
                count += 1
                // One for each entry that gets an outcome, for the record, and for a request that is halved.
                guard count < 10 else {
                    Issue.record("the same requests again and again")
                    return
                }
                switch machine.take(Self.nonsense(&random), to: request, &ledger, at: time) {
                case .decided(let results, let history, let mark): ledger.decide(results, history: history, mark: mark)
                case .forgotten: ledger.rename("other")
                case .proceed, .missing, .unauthorized: break
                }
            }
        }
    }

    private static func nonsense(_ random: inout SeededGenerator) -> OutboxMachine.Answer {
        func any(_ values: [JSONValue]) -> JSONValue { values.randomElement(using: &random) ?? .null }
        let words: [JSONValue] = ["committed", "refused", "m", "h", "client-forgotten", "sequence-conflict", 5, .null]
        let numbers: [JSONValue] = [-1, 0, 1, 2, 3, 1e300, "x", .null]
        let results: [JSONValue] = (0..<3).map { _ in ["n": any(numbers), "outcome": any(words), "revision": 1] }
        let body: JSONValue = [
            "mark": any(words), "history": any(words), "code": any(words), "results": .array(results),
            "retryAfter": any(numbers),
        ]
        let status = [0, 200, 200, 401, 404, 409, 413, 422, 503].randomElement(using: &random) ?? 0
        return .init(status: status, body: body)
    }

    @Test mutating func `an answer with results may ask for a pause`() {
        add(2)
        begin()
        let result: JSONValue = ["n": 1, "outcome": "committed", "revision": 1]
        let body: JSONValue = ["mark": "m", "history": "h", "revision": 1, "results": [result], "retryAfter": 2.5]
        guard case .decided(let results, let history, let mark) = answer(200, body, at: 100) else {
            Issue.record("another verdict")
            return
        }
        #expect(results.map(\.number) == [1])
        #expect(history == "h")
        #expect(mark == "m")
        #expect(machine.wake == 2600)
    }

    @Test mutating func `a refused token was not run`() {
        add(1)
        begin()
        guard case .unauthorized = answer(401, ["code": "unauthorized"]) else {
            Issue.record("another verdict")
            return
        }
        #expect(ledger.sent == 0)
    }

    @Test mutating func `a record is read before more is sent where revisions were lost`() {
        add(1)
        begin()
        ledger.mustRead = true
        let request = machine.next(&ledger, at: 0)
        #expect(json(request) == ["client": "c", "from": 1, "entries": []])
        _ = answer(200, Self.begun)
        #expect(!ledger.mustRead)
    }
}
