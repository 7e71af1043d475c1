/// A text that must not be seen: neither printing nor reflecting shows it.
package struct Secret: Sendable, Hashable {
    package let revealed: String

    package init(_ text: String) { revealed = text }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
