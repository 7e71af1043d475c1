/// A path to the payload of one case of an enumeration, as a key path is one to a property of a structure.
///
///     extension CasePath<ShopAction, CartAction> {
///         static var cart: Self {
///             CasePath(embed: { .cart($0) }, extract: { if case .cart(let action) = $0 { $1(action) } })
///         }
///     }
///
/// It leads from an action to a nested action, or into one case of a state: see ``IfCase``.
public struct CasePath<Root, Value>: Sendable {
    /// Wraps a value in its case.
    @usableFromInline
    package let embed: @Sendable (Value) -> Root
    /// Calls a function with the value if the root is this case.
    @usableFromInline
    package let extract: @Sendable (_ root: Root, _ body: (Value) -> Void) -> Void
    /// Whether the root is this case.
    @usableFromInline
    package let matches: @Sendable (Root) -> Bool

    /// A path to one case.
    ///
    /// - Parameters:
    ///   - embed: wraps a value in the case.
    ///   - extract: calls its second argument with the value if the root is this case. The value is passed and not returned, so a
    ///     large one is not copied.
    @inlinable @inline(__always)
    public init(
        embed: @escaping @Sendable (Value) -> Root,
        extract: @escaping @Sendable (_ root: Root, _ body: (Value) -> Void) -> Void
    ) {
        self.embed = embed
        self.extract = extract
        matches = { root in
            var found = false
            extract(root) { _ in found = true }
            return found
        }
    }

    /// The value if `root` is this case.
    @inlinable
    package func value(in root: Root) -> Value? {
        var value: Value?
        extract(root) { value = $0 }
        return value
    }
}
