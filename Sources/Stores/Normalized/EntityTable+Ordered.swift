extension EntityTable {
    /// The entities of a table in their order.
    public struct Ordered: RandomAccessCollection, Sendable {
        @usableFromInline let rows: [Row]
        @usableFromInline let order: [Int32]

        @inlinable
        init(_ table: EntityTable) {
            rows = table.rows
            order = table.order
        }

        /// 0.
        @inlinable public var startIndex: Int { 0 }
        /// How many there are.
        @inlinable public var endIndex: Int { order.count }
        /// The entity at that index.
        @inlinable public subscript(position: Int) -> Entity { rows[Int(order[position])].entity }
    }
}
