/// A middleware made ready to be asked often, whatever its type: what a store asks after each commit.
///
/// Its function is made where the type of the middleware is known, so that the compiler specializes it, and is called without a
/// copy of anything.
public final class PreparedMiddleware<State: Sendable, Action: Sendable>: Sendable {
    @usableFromInline let respond: @Sendable (borrowing Commit<State, Action>) -> Effect<Action>

    /// What answers as `respond` does.
    @inlinable
    public init(_ respond: @escaping @Sendable (borrowing Commit<State, Action>) -> Effect<Action>) {
        self.respond = respond
    }
}
