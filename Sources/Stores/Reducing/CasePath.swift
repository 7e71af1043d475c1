/// The way from an action to one nested in it, and back: what a key path is to a structure's property.
///
/// It leads into one of several cases of a state as well: see ``IfCase``.
public struct CasePath<Root, Value>: Sendable {
    /// Wraps a value in its case.
    public let embed: @Sendable (Value) -> Root
    /// The value, where `root` is that case.
    public let extract: @Sendable (Root) -> Value?

    /// The way into one case, and back.
    ///
    /// - Parameters:
    ///   - embed: the case itself, which is a function.
    ///   - extract: undoes `embed`.
    @inlinable @inline(__always)
    public init(embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
        self.embed = embed
        self.extract = extract
    }
}

extension CasePath where Root == Value {
    /// The way from an action to itself.
    @inlinable @inline(__always)
    public static var whole: CasePath { CasePath(embed: { $0 }, extract: { $0 }) }
}
