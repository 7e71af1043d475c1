/// Folds a list of reducers into one, two at a time.
@resultBuilder
public enum ReducerBuilder<State: Sendable, Action: Sendable> {
    /// Tells each statement the state and the action, so that it need not name them.
    @inlinable @inline(__always)
    public static func buildExpression<Part: Reducer<State, Action>>(_ part: consuming Part) -> Part { part }

    /// The first statement.
    @inlinable @inline(__always)
    public static func buildPartialBlock<Part: Reducer<State, Action>>(first: consuming Part) -> Part { first }

    /// What stands so far, then the next statement.
    @inlinable @inline(__always)
    public static func buildPartialBlock<First: Reducer<State, Action>, Next: Reducer<State, Action>>(
        accumulated: consuming First, next: consuming Next
    ) -> Combined<First, Next> { Combined(accumulated, next) }

    /// `if` without `else`: where it does not hold, nothing is there.
    @inlinable @inline(__always)
    public static func buildOptional<Part: Reducer<State, Action>>(
        _ part: Part?
    ) -> Either<Part, Watch<State, Action>> {
        if let part { .first(part) } else { .second(Watch { _, _ in }) }
    }

    /// `if` and `switch`.
    @inlinable @inline(__always)
    public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
        first: First
    ) -> Either<First, Second> { .first(first) }

    /// `else`.
    @inlinable @inline(__always)
    public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
        second: Second
    ) -> Either<First, Second> { .second(second) }

    /// `for`: one part for each turn, in their order.
    @inlinable @inline(__always)
    public static func buildArray(_ parts: [some Reducer<State, Action>]) -> CombinedList<State, Action> {
        CombinedList(parts)
    }
}
