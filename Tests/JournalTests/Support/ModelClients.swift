import StoreHosting

/// Records of clients as a journal must give them back.
struct ModelClients: Sendable {
    private(set) var rows: [ClientRow] = []
    private var lastNumber = 0

    /// A change of any kind.
    mutating func change(_ random: inout some RandomNumberGenerator) -> ClientChange {
        let dropped = Int.random(in: 0..<3, using: &random) == 0 ? min(2, rows.count) : 0
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return ClientChange(put: nil, dropped: drop(dropped))
        case 1, 2: return put(dropping: dropped)
        default: return rows.count > dropped ? put(again: rows.count - 1, dropping: dropped) : put()
        }
    }

    /// Makes a record, or replaces one.
    mutating func put(again index: Int? = nil, dropping count: Int = 0) -> ClientChange {
        lastNumber += 1
        let digits = "\(lastNumber)-"
        let mark =
            index.map { rows[$0].mark } ?? digits + String(repeating: "_", count: ClientRow.markLength - digits.count)
        let row = ClientRow(mark: mark, content: Array("{\"u\":\(lastNumber),\"o\":[\"caf\u{e9}\"]}".utf8))
        rows.removeAll { $0.mark == mark }
        let dropped = drop(count)
        rows.append(row)
        return ClientChange(put: row, dropped: dropped)
    }

    private mutating func drop(_ count: Int) -> [String] {
        defer { rows.removeFirst(count) }
        return rows.prefix(count).map(\.mark)
    }

    func match(_ summary: SessionSummary) -> Bool {
        summary.clients.sorted { $0.mark < $1.mark } == rows.sorted { $0.mark < $1.mark }
    }
}
