import StoreHosting

/// Permits as a journal must give them back.
struct ModelPermits: Sendable {
    private(set) var generation = 0
    private(set) var records: [PermitRecord] = []
    private var lastNumber = 0

    /// A change of each kind, one after the other.
    static var oneOfEach: [PermitChange] {
        var permits = ModelPermits()
        return [permits.make(), permits.make(), permits.make(dropping: 1), permits.revoke(), permits.revokeAll()]
    }

    /// A change of any kind.
    mutating func change(_ random: inout some RandomNumberGenerator) -> PermitChange {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: revokeAll()
        case 1, 2: records.isEmpty ? make() : revoke(Int.random(in: records.indices, using: &random))
        default: make(dropping: Int.random(in: 0...min(2, records.count), using: &random))
        }
    }

    mutating func make(dropping count: Int = 0) -> PermitChange {
        lastNumber += 1
        let digits = "\(generation)_\(lastNumber)-"
        let id = digits + String(repeating: "x", count: PermitRecord.idLength - digits.count)
        let record = PermitRecord(id: id, content: Array("{\"label\":\"caf\u{e9} \(lastNumber)\",\"as\":null}".utf8))
        let dropped = records.prefix(count).map(\.id)
        records.removeFirst(count)
        records.append(record)
        return .made(record, dropped: dropped)
    }

    mutating func revoke(_ index: Int = 0) -> PermitChange { .revoked([take(index)]) }

    /// Takes a permit away.
    ///
    /// - Returns: its id.
    mutating func take(_ index: Int = 0) -> String { records.remove(at: index).id }

    mutating func revokeAll() -> PermitChange {
        generation += 1
        defer { records = [] }
        return .revokedAll(generation: generation, records.map(\.id))
    }

    func match(_ summary: SessionSummary) -> Bool {
        summary.shareGeneration == generation
            && summary.permits.sorted { $0.id < $1.id } == records.sorted { $0.id < $1.id }
    }
}
