/// An entity tag (RFC 9110, section 8.8.3).
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// What stands between the quotes.
    package let opaque: String
    package let isWeak: Bool

    /// Makes a tag; nil where the text has a character that no tag may have: a quote, a space, a control character.
    package init?(_ opaque: String, isWeak: Bool = false) {
        guard opaque.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.init(unchecked: opaque, isWeak: isWeak)
    }

    /// The strong tag of a revision, as in `"3"`.
    package init(revision: Int) {
        self.init(unchecked: String(revision), isWeak: false)
    }

    private init(unchecked opaque: String, isWeak: Bool) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The tag as it is sent.
    package var description: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// Whether both are strong and equal (RFC 9110, section 8.8.3.2).
    package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// Whether they are equal but for weakness.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    static func parse(_ cursor: inout FieldCursor) -> EntityTag? {
        let isWeak = cursor.take(0x57)
        if isWeak, !cursor.take(ASCII.slash) { return nil }
        guard cursor.take(ASCII.quote) else { return nil }
        let opaque = cursor.takeWhile(isAllowed)
        return cursor.take(ASCII.quote) ? EntityTag(unchecked: opaque, isWeak: isWeak) : nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > ASCII.space && byte != ASCII.quote && byte != ASCII.delete
    }
}
