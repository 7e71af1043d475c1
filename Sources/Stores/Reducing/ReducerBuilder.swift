/// Makes one reducer of a list of statements.
@resultBuilder
public enum ReducerBuilder<State: Sendable, Action: Sendable> {
    /// A statement of many: what they have in common.
    public typealias Parts = Compose<State, Action>

    /// One reducer, prepared here, where its type is known.
    @inlinable
    public static func buildExpression<Part: Reducer<State, Action>>(_ part: Part) -> Parts {
        Parts(parts: [part.prepared])
    }

    /// A list within the list.
    @inlinable
    public static func buildExpression(_ parts: Parts) -> Parts { parts }

    /// The statements in their order.
    @inlinable
    public static func buildBlock(_ parts: Parts...) -> Parts { buildArray(parts) }

    /// `if` without `else`: where it does not hold, nothing is there.
    @inlinable
    public static func buildOptional(_ parts: Parts?) -> Parts { parts ?? Parts(parts: []) }

    /// `if` and `switch`.
    @inlinable
    public static func buildEither(first: Parts) -> Parts { first }

    /// `else`.
    @inlinable
    public static func buildEither(second: Parts) -> Parts { second }

    /// `for`: the statements of each turn, in their order.
    @inlinable
    public static func buildArray(_ parts: [Parts]) -> Parts { Parts(parts: parts.flatMap(\.parts)) }
}
