import JSON

/// All that a server has decided, and what it may say from then on.
struct OutboxOracle: Sendable {
    /// The record of one client on the server.
    private struct Record: Sendable {
        var results: [OutboxResult] = []
        /// The first number whose outcome is kept, and the same in storage: it is written with the next entry.
        var floor = 1
        var storedFloor = 1
    }

    private var records: [Record]
    /// The revisions of actions of nobody's outbox.
    private var others: Set<Int> = []

    init(clientCount: Int) { records = Array(repeating: Record(), count: clientCount) }

    func isKnown(_ number: Int, of client: Int) -> Bool {
        number >= records[client].floor && number <= records[client].results.count
    }

    mutating func committedOther(at revision: Int) { others.insert(revision) }

    /// The server has the records as they are in storage.
    mutating func restarted() {
        for index in records.indices { records[index].floor = records[index].storedFloor }
    }

    /// Takes the answers to requests that were sent at the same time. Of equal requests one has run the entries.
    ///
    /// - Returns: the results by request.
    mutating func take(_ answers: [TestResponse], to requests: [OutboxRequest]) throws -> [[OutboxResult]] {
        let results = try zip(answers, requests).map { try read($0, $1) }
        let firsts = results.map { $0.count { !$0.isReplayed } }
        for index in requests.indices.sorted(by: { firsts[$0] > firsts[$1] }) {
            try take(results[index], requests[index])
        }
        return results.map { $0.map(\.result) }
    }

    private func read(
        _ answer: TestResponse, _ request: OutboxRequest
    ) throws -> [(result: OutboxResult, isReplayed: Bool)] {
        let mayConflict = request.from < records[request.client].floor && !request.entries.isEmpty
        if mayConflict, answer.status == 409, answer.code == "sequence-conflict" { return [] }
        guard !mayConflict, answer.status == 200, answer.at("/retryAfter") == nil,
            let results = answer.at("/results")?.asArray
        else { throw OutboxFault("\(request) got \(answer.text)") }
        return try results.map {
            guard let result = OutboxResult.read($0) else { throw OutboxFault("no result: \($0)") }
            return result
        }
    }

    private mutating func take(
        _ results: [(result: OutboxResult, isReplayed: Bool)], _ request: OutboxRequest
    ) throws {
        var record = records[request.client]
        if request.from < record.floor, !request.entries.isEmpty { return }
        let first = max(request.from, record.floor)
        let count = request.entries.isEmpty ? max(0, record.results.count - first + 1) : request.entries.count
        let numbers = results.map(\.result.number)
        try OutboxFault.require(
            numbers == Array(first..<first + count), "\(request) got the results of \(numbers)")
        record.floor = max(record.floor, min(request.from, record.results.count + 1))
        for (result, isReplayed) in results {
            let isKnown = result.number <= record.results.count
            try OutboxFault.require(isKnown == isReplayed, "known: \(isKnown), but the answer has \(result.json)")
            if isKnown {
                let known = record.results[result.number - 1]
                try OutboxFault.require(result == known, "\(known.json) became \(result.json)")
            } else {
                let entry = request.entries[result.number - request.from]
                try OutboxFault.require(entry.outcomes.contains(result.outcome), "\(entry) became \(result.json)")
                record.results.append(result)
                record.floor = max(record.floor, record.results.count - 99)
                record.storedFloor = record.floor
            }
        }
        records[request.client] = record
    }

    /// Checks everything against the log: each revision is that of one entry or of one other action, each client has seen only
    /// values of the server, and each value contained the entries that it said it contained.
    func check(_ log: [JSONValue], _ clients: [PlainClient]) throws {
        var (explained, totals) = (others, [0])
        for entry in log { totals.append((totals.last ?? 0) + (entry["payload"]?["amount"]?.asInteger ?? 0)) }
        for (record, client) in zip(records, clients) {
            let committed = record.results.filter { $0.outcome == "committed" }
            for (entry, result) in zip(client.entries, record.results) where result.outcome == "committed" {
                let revisions = result.revision - entry.actions.count + 1...result.revision
                for (revision, action) in zip(revisions, entry.actions) {
                    let logged = revision > 0 && revision <= log.count ? log[revision - 1] : .null
                    let amounts = [logged, action].map { $0["payload"]?["amount"] }
                    try OutboxFault.require(
                        logged["type"] == action["type"] && amounts[0] == amounts[1],
                        "\(result.json) is in the log as \(logged)")
                    try OutboxFault.require(explained.insert(revision).inserted, "\(revision) has two causes")
                }
                if let wanted = entry.ifMatch.flatMap({ Int($0) }) {
                    try OutboxFault.require(wanted == revisions.lowerBound - 1, "\(entry) at \(result.revision)")
                }
            }
            let revisions = record.results.map(\.revision)
            try OutboxFault.require(revisions == revisions.sorted(), "\(client.id) has \(revisions)")
            for sighting in client.sightings { try check(sighting, committed, totals, of: client.id) }
        }
        try OutboxFault.require(explained == Set(1..<log.count + 1), "the log has \(log.count), known are \(explained)")
    }

    private func check(
        _ sighting: PlainClient.Sighting, _ committed: [OutboxResult], _ totals: [Int], of client: String
    ) throws {
        let isOfServer = sighting.revision < totals.count && totals[sighting.revision] == sighting.value
        try OutboxFault.require(isOfServer, "\(client) saw \(sighting)")
        for result in committed {
            let isTold = result.number <= sighting.through
            // A value that is the same at a later revision contains the entries up to there, too.
            let isSame = totals[result.revision] == sighting.value
            let isRight = result.revision <= sighting.revision ? isTold : isSame || !isTold
            try OutboxFault.require(isRight, "\(client) saw \(sighting), with or without \(result.json)")
        }
    }
}
