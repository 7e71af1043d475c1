public import Stores

/// What is to be bought.
public struct Cart: Sendable, Equatable {
    /// One line for each product, in the order of adding.
    public var lines: EntityTable<CartLine>

    /// A cart with these lines.
    public init(_ lines: [CartLine] = []) { self.lines = EntityTable(lines) }

    /// What all of it costs, in cents.
    public var total: Int { lines.ordered.reduce(0) { $0 + $1.total } }
}
