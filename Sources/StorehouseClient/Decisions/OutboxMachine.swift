package import JSON

/// Decides which request an outbox sends next, and what an answer means. All times are in milliseconds.
package struct OutboxMachine {
    /// One request of `sync`.
    package struct Request {
        package var from: Int
        package var isNew = false
        package var entries: [Entry] = []
        /// The highest number that may have been sent before.
        package var prior: Int

        /// The body as JSON.
        package func body(client: String) -> [UInt8] {
            let new = isNew ? #""new":true,"# : ""
            let start = #"{"client":\#(JSONValue.string(client)),\#(new)"from":\#(from),"entries":["#
            return Array(start.utf8) + entries.map(\.bytes).joined(separator: ",".utf8) + Array("]}".utf8)
        }
    }

    /// The answer to a request; its status is 0 if none came.
    package struct Answer {
        package var status: Int
        package var body: JSONValue?
        /// How long the server wants to be left alone.
        package var atLeast = 0.0

        package static let none = Answer(status: 0)

        package init(status: Int, body: JSONValue? = nil, atLeast: Double = 0) {
            self.status = status
            self.body = body
            self.atLeast = atLeast
        }
    }

    /// The next step after an answer.
    package enum Verdict {
        case decided([EntryResult], history: String?, mark: String?)
        /// Nothing; the request is repeated, or the next one follows.
        case proceed
        /// The server has no record, and entries up to this number may have been run.
        case forgotten(unknown: Int)
        /// The server has no session.
        case missing(status: Int)
        case unauthorized
    }

    private static let mostEntries = 100
    private static let passing: Set = [0, 408, 429, 500, 502, 503, 504]
    private static let overhead = 150  // bytes of a request without its entries

    /// The time before which nothing is sent.
    package private(set) var wake = 0.0
    private var failures = 0
    private var limit = Self.mostEntries
    private var notBefore = 0.0
    private var sentAt = 0.0
    private let random: () -> Double

    /// - Parameter random: gives numbers from 0 to 1.
    package init(random: @escaping () -> Double) {
        self.random = random
    }

    /// A request that may have failed for want of a network is repeated without delay.
    package mutating func hurry(at now: Double) {
        if failures > 0 { wake = min(wake, max(now, notBefore, sentAt + 1000)) }
    }

    /// The request that is due, which then counts as sent; nil if there is nothing to do.
    package mutating func next(_ ledger: inout Ledger, at now: Double) -> Request? {
        let first = ledger.queue.first?.number
        guard first != nil || ledger.mustRead else { return nil }
        sentAt = now
        let prior = ledger.sent
        if !ledger.isTold { return Request(from: 1, isNew: true, prior: prior) }
        let from = first ?? ledger.last + 1
        if ledger.mustRead { return Request(from: from, prior: prior) }
        var entries: [Entry] = []
        var size = Self.overhead
        for entry in ledger.queue {
            size += entry.bytes.count + 1
            if !entries.isEmpty {
                let isNext = entry.number == from + entries.count
                guard entries.count < limit, size <= ledger.room, isNext else { break }
            }
            entries.append(entry)
        }
        ledger.sent = max(prior, from + entries.count - 1)
        return Request(from: from, entries: entries, prior: prior)
    }

    package mutating func take(_ answer: Answer, to request: Request, _ ledger: inout Ledger, at now: Double) -> Verdict
    {
        let code = answer.body?["code"]?.asString
        if answer.status == 401 {
            ledger.sent = request.prior
            return .unauthorized
        }
        if answer.status == 200, let body = answer.body, body["results"]?.asArray != nil {
            return accept(body, request, &ledger, now)
        }
        // A status without a problem comes from a proxy, which knows nothing of the outcome.
        guard let code, !Self.passing.contains(answer.status) else {
            wait(now, atLeast: answer.atLeast)
            return .proceed
        }
        return refused(code, answer, request, &ledger, now)
    }

    private mutating func refused(
        _ code: String, _ answer: Answer, _ request: Request, _ ledger: inout Ledger, _ now: Double
    ) -> Verdict {
        if code == "sequence-conflict" || code == "client-forgotten" {
            wait(now)
            let end = request.from + request.entries.count - 1
            return .forgotten(unknown: code == "sequence-conflict" ? max(request.prior, end) : request.prior)
        }
        // Nothing of this request was run.
        ledger.sent = request.prior
        let isMissing = answer.status == 404 || answer.status == 410
        if isMissing || request.entries.isEmpty { wait(now) }
        if isMissing { return .missing(status: answer.status) }
        if request.entries.count > 1 {
            limit = (request.entries.count + 1) / 2
            return .proceed
        }
        let refused = request.entries.isEmpty ? Array(ledger.queue) : request.entries
        let revision = answer.body?["revision"]?.asInteger ?? 0
        let results = refused.compactMap { entry in
            entry.number.map { EntryResult(number: $0, outcome: .refused, revision: revision, problem: answer.body) }
        }
        return .decided(results, history: nil, mark: nil)
    }

    private mutating func accept(
        _ body: JSONValue, _ request: Request, _ ledger: inout Ledger, _ now: Double
    ) -> Verdict {
        let history = body["history"]?.asString
        // Entries that were committed then were lost with their history.
        if ledger.isGone(history) {
            wait(now)
            return .proceed
        }
        let results = body["results"]?.asArray?.compactMap { EntryResult($0, history: history) } ?? []
        let pause = Backoff.asked(seconds: body["retryAfter"]?.asNumber)
        if request.entries.isEmpty || results.contains(where: { $0.number == request.from }) {
            failures = 0
            notBefore = now + pause
            wake = notBefore
        } else {
            // Without an outcome the request would be repeated at once, for ever.
            wait(now, atLeast: pause)
        }
        if !request.entries.isEmpty {
            limit = min(Self.mostEntries, limit * 2)
        } else if !request.isNew {
            ledger.mustRead = false
        }
        ledger.isTold = true
        return .decided(results, history: history, mark: body["mark"]?.asString)
    }

    /// Waits before the next request, as after one that has failed.
    package mutating func wait(_ now: Double, atLeast: Double = 0) {
        notBefore = now + atLeast
        wake = now + max(atLeast, Backoff.delay(failures: failures, retry: 0, random: random()))
        failures += 1
    }
}
