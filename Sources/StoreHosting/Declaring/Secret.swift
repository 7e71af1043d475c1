/// A text that printing and reflection do not show, such as a password in a state.
///
/// As a ``Member`` it stays on the server, and is persisted sealed, or not at all if the server has no key.
public struct Secret: Sendable, Hashable {
    /// The text.
    public let unmasked: String

    /// A secret text.
    public init(_ text: String) { unmasked = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Three asterisks.
    public var description: String { "***" }
    /// Three asterisks.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
