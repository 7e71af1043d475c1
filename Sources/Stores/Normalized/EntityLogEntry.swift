/// One change of a table: an insertion comes from nowhere, a removal goes there, an update stays where it is.
@usableFromInline
struct EntityLogEntry<ID: Hashable & Sendable>: Sendable {
    /// The stamp that the table had before.
    @usableFromInline let before: Stamp
    @usableFromInline let id: ID
    /// Places in the order, -1 for nowhere: smaller than optionals.
    @usableFromInline let oldPlace: Int32
    @usableFromInline let newPlace: Int32

    @inlinable
    init(before: Stamp, id: ID, from oldPlace: Int?, to newPlace: Int?) {
        self.before = before
        self.id = id
        self.oldPlace = Int32(truncatingIfNeeded: oldPlace ?? -1)
        self.newPlace = Int32(truncatingIfNeeded: newPlace ?? -1)
    }

    /// The place before the change.
    @inlinable var from: Int? { oldPlace < 0 ? nil : Int(oldPlace) }
    /// The place after the change.
    @inlinable var to: Int? { newPlace < 0 ? nil : Int(newPlace) }

    /// Whether the order stays what it is.
    @inlinable var isUpdate: Bool { oldPlace < 0 && newPlace < 0 }
    /// Whether the entity has another value after it: an update or an insertion.
    @inlinable var bringsValue: Bool { oldPlace < 0 }

    /// Where an entity that stood at `index` stands after this change of another one.
    @inlinable
    func after(_ index: Int) -> Int { Self.shift(index, from: from, to: to) }

    /// Where an entity that stands at `index` stood before this change of another one.
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
