import JSON

/// The knowledge of a client: the confirmed state, the pending entries, and the record of its outbox.
package struct Ledger {
    package static let mostEntries = 1000
    package static let mostBytes = 1 << 20

    package var confirmed = Confirmed()
    /// In the order of the outbox. Entries without a number come last.
    package private(set) var entries: [Entry] = []
    package private(set) var bytes = 0
    package private(set) var client = ""
    /// The highest number that an entry has.
    package var last = 0
    /// The highest number that may have reached the server under this client id.
    package var sent = 0
    /// Whether the server has told of the record. Only then are entries sent.
    package var isTold = false
    /// Whether the outcomes must be read before anything else is sent.
    package var mustRead = false
    /// Bytes that a request may have.
    package private(set) var room = 65_536
    /// The numbers of decided entries that are still stored.
    package private(set) var done: [Int] = []
    /// That of the newest answer.
    private var answered: String?
    /// Earlier histories.
    private var gone: Set<String> = []

    package init() {}

    /// The changes that events have made.
    package struct News {
        package var changed: ChangedPlaces
        /// Whether revisions were lost.
        package var isOtherHistory = false
    }

    /// The entries that are not decided and have a number.
    package var queue: some Collection<Entry> { entries.lazy.filter { $0.number != nil && $0.result == nil } }

    /// Whether the confirmed state contains the entry, as far as is known.
    package func contains(_ entry: Entry) -> Bool {
        if let number = entry.number, number <= confirmed.through { return true }
        guard let result = entry.result else { return false }
        return result.isExpired || result.history == confirmed.history && result.revision <= confirmed.revision
    }

    /// Whether the server has left a history.
    package func isGone(_ history: String?) -> Bool {
        guard let history, history != confirmed.history else { return false }
        return gone.contains(history)
    }

    // ---- Events and results

    /// Takes the events of one read, which apply all or not at all.
    package mutating func take(_ events: [StreamEvent]) throws(Confirmed.Misfit) -> News {
        let (oldHistory, oldMark) = (confirmed.history, confirmed.mark)
        // Taken out, so that the value is changed in place. It is of no use after an error.
        var next = confirmed
        confirmed.value = nil
        var news = News(changed: try next.apply(events))
        if next.history != oldHistory {
            if let oldHistory { gone.insert(oldHistory) }
            expire(next.history)
        }
        confirmed = next
        if let known = oldHistory ?? answered, next.history != known {
            if oldMark != nil { isTold = true }
            mustRead = isTold
            news.isOtherHistory = true
        }
        if let ready = events.last(where: { $0.type == "ready" })?.data {
            // A record that is gone has to be found out before anything is shown for long.
            if ready["mark"] == nil, isTold { mustRead = true }
            room = ready["maxBody"]?.asInteger ?? room
        }
        return news
    }

    /// - Parameters:
    ///   - history: of the answer.
    ///   - mark: the name of this client in events.
    package mutating func decide(_ results: [EntryResult], history: String?, mark: String?) {
        confirmed.mark = confirmed.mark ?? mark
        for result in results {
            guard let index = entries.firstIndex(where: { $0.number == result.number }), entries[index].result == nil
            else { continue }
            entries[index].result = result
            done.append(result.number)
        }
        answered = history ?? answered
        if let history, history == confirmed.history { expire(history) }
    }

    /// Lets no entry wait for a revision of a history that the server has left.
    ///
    /// - Parameter history: the present one.
    private mutating func expire(_ history: String?) {
        for index in entries.indices {
            guard let result = entries[index].result, result.history != history else { continue }
            entries[index].result?.isExpired = true
        }
    }

    /// Takes out the entries that are done: their outcome is known, and the confirmed state contains it.
    package mutating func settle() -> [Entry] {
        guard entries.contains(where: isDone) else { return [] }
        let settled = entries.filter(isDone)
        entries.removeAll(where: isDone)
        bytes -= settled.reduce(0) { $0 + $1.bytes.count }
        return settled
    }

    private func isDone(_ entry: Entry) -> Bool {
        guard let result = entry.result else { return false }
        return result.outcome != .committed || contains(entry)
    }

    // ---- Entries

    package func hasRoom(for entry: Entry) -> Bool {
        entries.count < Self.mostEntries && bytes + entry.bytes.count <= Self.mostBytes && entry.bytes.count <= room
    }

    package mutating func add(_ entry: Entry) {
        entries.append(entry)
        bytes += entry.bytes.count
    }

    /// The entries that have no number. They are the last ones.
    package var unnumbered: ArraySlice<Entry> {
        entries[(entries.lastIndex { $0.number != nil }.map { $0 + 1 } ?? 0)...]
    }

    /// Gives numbers to the first entries that have none.
    package mutating func number(_ keys: [Int]) {
        var index = unnumbered.startIndex
        for key in keys where index < entries.endIndex && entries[index].key == key {
            last += 1
            entries[index].number = last
            index += 1
        }
    }

    /// Takes entries out whose outcome nobody will know.
    package mutating func remove(_ keys: Set<Int>) -> [Entry] {
        let removed = entries.filter { keys.contains($0.key) }
        entries.removeAll { keys.contains($0.key) }
        bytes -= removed.reduce(0) { $0 + $1.bytes.count }
        return removed
    }

    /// The numbers that need not be stored any more, each told once.
    package mutating func takeDone() -> [Int] {
        defer { done = [] }
        return done
    }

    /// Begins with what was stored. Entries that were added before come behind.
    package mutating func load(client: String, last: Int, sent: Int, _ stored: [Entry]) {
        self.client = client
        self.last = max(last, sent, stored.last?.number ?? 0)
        self.sent = sent
        isTold = sent > 0 || confirmed.mark != nil
        entries = stored + entries
        bytes += stored.reduce(0) { $0 + $1.bytes.count }
    }

    /// Continues under an id of which the server knows nothing yet.
    package mutating func rename(_ client: String) {
        self.client = client
        sent = 0
        isTold = false
        mustRead = false
        confirmed.mark = nil
        confirmed.through = 0
    }
}
