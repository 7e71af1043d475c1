/// The sender of an action.
public enum Origin: String, Sendable, CaseIterable {
    /// A user of the store.
    case client
    /// A middleware, in its answer to a commit.
    case middleware
    /// An effect, while it runs or when it ends; or a timer.
    case effect
    /// The host of the store.
    case system
}
