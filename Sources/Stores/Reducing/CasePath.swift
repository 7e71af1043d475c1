/// The way from an action to one nested in it, and back: what a key path is to a structure's property.
///
///     extension CasePath<ShopAction, CartAction> {
///         static var cart: Self {
///             CasePath(embed: { .cart($0) }, lend: { if case .cart(let action) = $0 { $1(action) } })
///         }
///     }
///
/// It leads into one of several cases of a state as well: see ``IfCase``.
public struct CasePath<Root, Value>: Sendable {
    /// Wraps a value in its case.
    public let embed: @Sendable (Value) -> Root
    /// Calls a function with the value, where the root is that case.
    public let lend: @Sendable (_ root: Root, _ body: (Value) -> Void) -> Void
    /// Whether the root is that case.
    public let matches: @Sendable (Root) -> Bool

    /// The way into one case, and back.
    ///
    /// - Parameters:
    ///   - embed: the case itself, which is a function.
    ///   - lend: undoes `embed`: calls the function that it is given with the value, where there is one. The value is lent and
    ///     not returned, so that a large one need not be copied.
    @inlinable @inline(__always)
    public init(
        embed: @escaping @Sendable (Value) -> Root,
        lend: @escaping @Sendable (_ root: Root, _ body: (Value) -> Void) -> Void
    ) {
        self.embed = embed
        self.lend = lend
        matches = { root in
            var found = false
            lend(root) { _ in found = true }
            return found
        }
    }

    /// The value, where `root` is that case.
    @inlinable
    public func extract(_ root: Root) -> Value? {
        var value: Value?
        lend(root) { value = $0 }
        return value
    }
}

extension CasePath where Root == Value {
    /// The way from an action to itself.
    @inlinable @inline(__always)
    public static var whole: CasePath { CasePath(embed: { $0 }, lend: { $1($0) }) }
}
