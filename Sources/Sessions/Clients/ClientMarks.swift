/// The clients whose entries an event contains.
package enum Through: Sendable, Equatable {
    case none
    case names([ToldEntry])
    /// More than an event may name.
    case tooMany

    package static let maxNames = 64
}

/// A client, and the highest number of its entries that an event contains.
package struct ToldEntry: Sendable, Equatable {
    /// Of the record of the client.
    package let mark: String
    package let number: Int

    package init(mark: String, number: Int) { (self.mark, self.number) = (mark, number) }
}

extension ClientRecords {
    /// The number of entries that were told since the session was loaded. A stream has told those up to such a number.
    package var decision: Int { log.last }

    /// The clients with entries told after a decision, the latest first.
    package func marks(after decision: Int, limit: Int) -> Through {
        var entries: [ToldEntry] = []
        for record in told(after: decision) {
            guard entries.count < limit else { return .tooMany }
            entries.append(record.toldEntry)
        }
        return entries.isEmpty ? .none : .names(entries)
    }

    /// The clients that an event with ``Through/tooMany`` should have named.
    package func entries(after decision: Int) -> [ClientKey: ToldEntry] {
        Dictionary(uniqueKeysWithValues: told(after: decision).map { ($0.key, $0.toldEntry) })
    }

    private func told(after decision: Int) -> some Sequence<ClientRecord> {
        log.decisions(after: decision).compactMap { number, key in
            // An earlier entry of the client says less than its last one.
            records[key].flatMap { $0.decision == number ? $0 : nil }
        }
    }

    /// The mark of a client, its last entry that was told, and the decision about that; nil without a record.
    package func told(_ key: ClientKey) -> (entry: ToldEntry, decision: Int)? {
        records[key].map { ($0.toldEntry, $0.decision) }
    }
}

extension ClientRecord {
    fileprivate var toldEntry: ToldEntry { ToldEntry(mark: mark, number: told) }
}

/// The clients in the order of their entries, the latest last.
struct DecisionLog: Sendable {
    private var entries: [(number: Int, key: ClientKey)] = []
    private(set) var last = 0

    /// - Parameter recordCount: how many clients there are. Only the latest entry of each is of use.
    mutating func append(_ key: ClientKey, recordCount: Int) {
        last += 1
        if entries.count > 2 * recordCount + 64 {
            var seen: Set<ClientKey> = [key]
            entries = entries.reversed().filter { seen.insert($0.key).inserted }.reversed()
        }
        entries.append((last, key))
    }

    /// The latest first.
    func decisions(after number: Int) -> some Sequence<(number: Int, key: ClientKey)> {
        entries.reversed().lazy.prefix { $0.number > number }
    }
}
