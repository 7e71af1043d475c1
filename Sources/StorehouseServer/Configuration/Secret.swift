/// A text that is never shown: neither printed nor dumped, nor written into an error.
public struct Secret: Sendable, Hashable {
    /// What stands in its place.
    public static let mask = "***"

    /// The text itself, for the one place that needs it.
    public let text: String

    /// - Parameter text: what is kept secret.
    public init(_ text: String) {
        self.text = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Self.mask }
    public var debugDescription: String { Self.mask }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
