extension EntityTable {
    /// The ids of a table in their order.
    public struct IDs: RandomAccessCollection, Sendable {
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
        /// The id at that index.
        @inlinable public subscript(position: Int) -> Entity.ID { rows[Int(order[position])].id }
    }
}
