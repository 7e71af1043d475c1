import JSON
import StoresTesting

/// Clients that send outboxes through a relay, which loses, repeats, holds and reorders requests and answers.
struct OutboxRun: Sendable {
    private static let stepsOfLife = 40

    /// Random numbers, each of which is the seed of the next.
    private struct Chain: RandomNumberGenerator, Sendable {
        var last: UInt64

        mutating func next() -> UInt64 {
            var generator = SeededGenerator(seed: last)
            last = generator.next()
            return last
        }
    }

    private var random: Chain
    private var session: LiveSession
    private var clients: [PlainClient] = []
    private var oracle = OutboxOracle(clientCount: 0)
    /// Answers that the relay has not passed on yet.
    private var held: [(client: Int, results: [OutboxResult])] = []
    private var earlier: [OutboxRequest] = []
    private var lastAmount = 0
    private(set) var counts: [String: Int] = [:]

    /// Begins the records of two to five clients of a new session.
    init(seed: UInt64, on server: any TestServing) async throws {
        random = Chain(last: seed)
        session = try await server.session("ledger")
        let count = Int.random(in: 2...5, using: &random)
        oracle = OutboxOracle(clientCount: count)
        for index in 0..<count {
            let outbox = TestOutbox(session, client: "client-\(index)-of-an-outbox-run")
            guard let mark = try await outbox.begin().at("/mark")?.asString else { throw OutboxFault("no mark") }
            let format = Bool.random(using: &random) ? "&changes=patch" : ""
            clients.append(PlainClient(id: outbox.client, mark: mark, format: format))
        }
    }

    /// The server has ended, and another one has come with its storage.
    mutating func move(to server: any TestServing) {
        session = LiveSession(server: server, path: session.path)
        for index in clients.indices { clients[index].disconnect() }
        oracle.restarted()
        count("restart")
    }

    mutating func makeSteps() async throws {
        for _ in 0..<Self.stepsOfLife { try await makeStep() }
    }

    private mutating func makeStep() async throws {
        let index = clients.indices.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: try append(to: index)
        case 7..<13: try await send()
        case 13: try await repeatEarlier()
        case 14: try await sendChanged(index)
        case 15: try deliver()
        case 16: try await commitOther()
        case 17:
            count("stream")
            try await clients[index].connect(to: session, resumes: .random(using: &random))
        case 18: try await clients[index].follow(to: try await commitOther())
        default: try await exchange([OutboxRequest(client: index, from: clients[index].results.count + 1, entries: [])])
        }
    }

    private mutating func count(_ what: String) { counts[what, default: 0] += 1 }

    private mutating func nextAmount() -> Int {
        lastAmount += 1
        return lastAmount
    }

    private mutating func append(to index: Int) throws {
        var amount = lastAmount
        let entry = OutboxEntry.random(using: &random, revision: clients[index].revision) {
            amount += 1
            return amount
        }
        lastAmount = amount
        try clients[index].append(entry)
    }

    /// Some clients send at once, and the relay sends some of the requests twice.
    private mutating func send() async throws {
        var requests: [OutboxRequest] = []
        for index in clients.indices.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)) {
            let entries = clients[index].unknown(Int.random(in: 1...6, using: &random))
            let request = OutboxRequest(client: index, from: clients[index].results.count + 1, entries: entries)
            let isTwice = Int.random(in: 0..<3, using: &random) == 0
            if isTwice { count("twice at once") }
            requests += Array(repeating: request, count: isTwice ? 2 : 1)
        }
        try await exchange(requests)
    }

    /// Sends requests at the same time. The relay delivers, holds or loses their answers.
    private mutating func exchange(_ requests: [OutboxRequest]) async throws {
        let results = try oracle.take(try await answers(to: requests), to: requests)
        earlier += requests
        for (request, results) in zip(requests, results).shuffled(using: &random) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: count("lost")
            case 1:
                count("held")
                held.append((request.client, results))
            default: try clients[request.client].take(results)
            }
            for result in results { count(result.outcome) }
        }
    }

    private func answers(to requests: [OutboxRequest]) async throws -> [TestResponse] {
        try await withThrowingTaskGroup(of: (Int, TestResponse).self) { group in
            for (index, request) in requests.enumerated() {
                let outbox = TestOutbox(session, client: clients[request.client].id)
                let body = outbox.body(from: request.from, request.entries.map(\.json))
                group.addTask { (index, try await outbox.post(body)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// A request comes again, long after its answer.
    private mutating func repeatEarlier() async throws {
        guard let request = earlier.randomElement(using: &random) else { return }
        count("repeated")
        _ = try oracle.take(try await answers(to: [request]), to: [request])
    }

    /// Another entry comes under a number that is known.
    private mutating func sendChanged(_ index: Int) async throws {
        let numbers = clients[index].entries.indices.map { $0 + 1 }.filter { oracle.isKnown($0, of: index) }
        guard let number = numbers.randomElement(using: &random) else { return }
        count("changed")
        let entry = clients[index].entries[number - 1].changed
        let answer = try await answers(to: [OutboxRequest(client: index, from: number, entries: [entry])])[0]
        try OutboxFault.require(answer.code == "sequence-conflict", "another entry \(number) got \(answer.text)")
    }

    private mutating func deliver() throws {
        guard let index = held.indices.randomElement(using: &random) else { return }
        let answer = held.remove(at: index)
        try clients[answer.client].take(answer.results)
    }

    /// - Returns: the revision of an action that is of nobody's outbox.
    @discardableResult
    private mutating func commitOther() async throws -> Int {
        let answer = try await session.post(OutboxEntry.add(nextAmount()))
        guard answer.status == 200, let revision = answer.revision else { throw OutboxFault(answer.text) }
        oracle.committedOther(at: revision)
        return revision
    }

    /// The relay does nothing bad any more: nothing is pending then, and all is as the log says.
    mutating func finish() async throws {
        for index in clients.indices {
            let client = clients[index]
            let request = OutboxRequest(
                client: index, from: client.results.count + 1, entries: client.unknown(client.entries.count))
            try clients[index].take(try oracle.take(try await answers(to: [request]), to: [request])[0])
            try await clients[index].connect(to: session, resumes: .random(using: &random))
        }
        let last = try await commitOther()
        for index in clients.indices {
            try await clients[index].follow(to: last)
            let (client, count) = (clients[index], clients[index].entries.count)
            try OutboxFault.require(client.results.count == count, "entries of \(client.id) are pending")
            try OutboxFault.require(client.through == count, "\(client.id) is told of \(client.through) of \(count)")
        }
        var log: [JSONValue] = []
        while log.count < last {
            let page = try await session.read("/actions?after=\(log.count)&limit=1000").at("/actions")?.asArray ?? []
            try OutboxFault.require(!page.isEmpty, "the log ends at \(log.count)")
            log += page
        }
        try oracle.check(log, clients)
    }
}
