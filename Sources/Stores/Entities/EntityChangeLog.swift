/// The latest changes of a table. It is long enough for a reader that looks after each commit.
@usableFromInline
struct EntityChangeLog<ID: Hashable & Sendable>: Sendable {
    /// The minimum number of versions to which the log reaches back, once there were as many.
    @inlinable static var minCount: Int { 16 }
    /// The maximum number of entities that versions behind the latest one changed.
    @inlinable static var maxCount: Int { 1024 }

    /// The entries of one version have the same token.
    @usableFromInline var entries: [EntityChangeLogEntry<ID>] = []

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ entry: EntityChangeLogEntry<ID>) {
        // Seldom, because it walks over the entries.
        if entries.count >= 2 * Self.minCount, entries.count.isMultiple(of: Self.minCount) { trim() }
        entries.append(entry)
    }

    /// Adds the changes of one version; nil if they were not recorded.
    @inlinable
    mutating func append(_ version: [EntityChangeLogEntry<ID>]?) {
        guard let version, version.count <= Self.maxCount else {
            entries = []
            return
        }
        trim()
        entries += version
    }

    /// Drops the oldest versions.
    @usableFromInline
    mutating func trim() {
        var (start, versions) = (entries.count, 0)
        while start > 0, versions < Self.minCount {
            let version = entries[start - 1].before
            let first = entries[..<start].lastIndex { $0.before != version }.map { $0 + 1 } ?? 0
            guard entries.count - first <= Self.maxCount else { break }
            (start, versions) = (first, versions + 1)
        }
        entries.removeFirst(start)
    }

    /// The changes since that version; nil if the log does not reach back to it.
    @inlinable
    func entries(since stamp: ChangeToken) -> ArraySlice<EntityChangeLogEntry<ID>>? {
        entries.firstIndex { $0.before == stamp }.map { entries[$0...] }
    }
}

/// One change of a table. An insertion has no old index, a removal no new one, and an update neither.
@usableFromInline
struct EntityChangeLogEntry<ID: Hashable & Sendable>: Sendable {
    /// The token of the table before the change.
    @usableFromInline let before: ChangeToken
    @usableFromInline let id: ID
    /// Indices in the order, -1 for none: smaller than optionals.
    @usableFromInline let oldIndex: Int32
    @usableFromInline let newIndex: Int32

    @inlinable
    init(before: ChangeToken, id: ID, from oldIndex: Int?, to newIndex: Int?) {
        self.before = before
        self.id = id
        self.oldIndex = Int32(truncatingIfNeeded: oldIndex ?? -1)
        self.newIndex = Int32(truncatingIfNeeded: newIndex ?? -1)
    }

    /// The index before the change.
    @inlinable var from: Int? { oldIndex < 0 ? nil : Int(oldIndex) }
    /// The index after the change.
    @inlinable var to: Int? { newIndex < 0 ? nil : Int(newIndex) }

    /// Whether the order is unchanged.
    @inlinable var isUpdate: Bool { oldIndex < 0 && newIndex < 0 }
    /// Whether the entity has a new value: an update or an insertion.
    @inlinable var setsValue: Bool { oldIndex < 0 }

    /// The index of another entity after this change, from its index before it.
    @inlinable
    func after(_ index: Int) -> Int { Self.shift(index, from: from, to: to) }

    /// The index of another entity before this change, from its index after it.
    @inlinable
    func before(_ index: Int) -> Int { Self.shift(index, from: to, to: from) }

    @inlinable
    static func shift(_ index: Int, from removed: Int?, to inserted: Int?) -> Int {
        var index = index
        if let removed, removed < index { index -= 1 }
        if let inserted, inserted <= index { index += 1 }
        return index
    }
}
