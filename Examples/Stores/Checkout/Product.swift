/// Something that can be bought.
public struct Product: Identifiable, Sendable, Equatable {
    /// Its number in the shop.
    public let id: Int
    /// What it is called.
    public let name: String
    /// What one costs, in cents. So narrow that no cart's total is too large for an `Int`.
    public let price: Int32

    /// - Parameter price: in cents.
    public init(_ id: Int, _ name: String, price: Int32) {
        self.id = id
        self.name = name
        self.price = price
    }
}
