/// The latest changes of a table. A reader that looks after each commit finds them all; nobody else makes it grow.
@usableFromInline
struct EntityLog<ID: Hashable & Sendable>: Sendable {
    /// As many are kept at least, if there were as many; twice as many at most.
    @inlinable static var kept: Int { 16 }

    @usableFromInline var entries: [EntityLogEntry<ID>] = []

    @inlinable
    init() {}

    @inlinable
    mutating func note(_ entry: EntityLogEntry<ID>) {
        if entries.count == 2 * Self.kept { entries.removeFirst(Self.kept) }
        entries.append(entry)
    }

    /// The changes that led from that stamp to the latest; nil where the log does not know it.
    @inlinable
    func entries(since stamp: Stamp) -> ArraySlice<EntityLogEntry<ID>>? {
        entries.lastIndex { $0.before == stamp }.map { entries[$0...] }
    }
}
