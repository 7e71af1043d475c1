/// A name that another service gave: the subject of a token, the owner of a session, an issuer, the identifier of a key.
///
/// Two subjects are the same if their bytes are. Swift compares texts by canonical equivalence, by which `é` as one code point
/// equals `e` with an accent: two users could then open each other's sessions.
@usableFromInline
package struct Subject: Sendable, Hashable {
    private let name: CodePointString

    /// A subject with this name.
    package init(_ text: String) { name = CodePointString(text) }

    /// The name.
    package var text: String { name.text }

    /// The bytes of the name.
    package var utf8: String.UTF8View { name.text.utf8 }
}

extension Subject: ExpressibleByStringLiteral {
    @usableFromInline
    package init(stringLiteral text: String) { self.init(text) }
}

extension Subject: CustomStringConvertible {
    /// The name.
    @usableFromInline
    package var description: String { text }
}

extension JSONValue {
    /// The string as a subject; nil for any other value.
    package var asSubject: Subject? { asString.map { Subject($0) } }
}
