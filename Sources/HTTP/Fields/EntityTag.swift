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

/// The value of If-Match or If-None-Match (RFC 9110, sections 13.1.1 and 13.1.2).
package enum EntityTagCondition: Sendable, Hashable {
    /// `*`: whatever there is.
    case any
    /// One of these; never empty.
    case tags([EntityTag])

    /// Reads the values of all lines of the field; nil where there is no line.
    ///
    /// - Throws: ``FieldError`` where a value is neither `*` alone nor a list of entity tags.
    package init?(_ lines: [String]) throws(FieldError) {
        guard !lines.isEmpty else { return nil }
        if lines == ["*"] {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        for line in lines {
            var cursor = FieldCursor(line)
            while cursor.nextElement() {
                guard let tag = EntityTag.parse(&cursor), cursor.elementEnds() else { throw Self.error }
                tags.append(tag)
            }
        }
        guard !tags.isEmpty else { throw Self.error }
        self = .tags(tags)
    }

    /// Whether the condition names the tag by the strong comparison, as If-Match wants.
    package func matchesStrongly(_ tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesStrongly(tag) }
        }
    }

    /// Whether the condition names the tag by the weak comparison, as If-None-Match wants.
    package func matchesWeakly(_ tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matchesWeakly(tag) }
        }
    }

    private static var error: FieldError { FieldError("The field is neither * nor a list of entity tags in quotes.") }
}
