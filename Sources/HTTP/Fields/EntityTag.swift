/// An entity tag (RFC 9110, section 8.8.3).
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The text between the quotes.
    package let opaque: String
    package let isWeak: Bool

    /// Nil if the text contains a quote, a space or a control character.
    package init?(_ opaque: String, isWeak: Bool = false) {
        guard opaque.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.init(unchecked: opaque, isWeak: isWeak)
    }

    /// The strong tag of a revision, such as `"3.k2f9"`; without a history `"3"`.
    package init(_ tag: RevisionTag) {
        self.init(unchecked: tag.history.isEmpty ? "\(tag.revision)" : "\(tag.revision).\(tag.history)", isWeak: false)
    }

    private init(unchecked opaque: String, isWeak: Bool) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The tag as in a header field.
    package var description: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

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

/// A revision as the ETag field names it.
///
/// A restored backup may have another state at the revision, so the history belongs to the tag.
@usableFromInline
package struct RevisionTag: Sendable, Hashable {
    package let revision: Int
    /// Names the sequence of revisions; empty for none.
    package let history: String

    package init(_ revision: Int, of history: String) {
        self.revision = revision
        self.history = history
    }
}

/// The value of If-Match or If-None-Match (RFC 9110, sections 13.1.1 and 13.1.2).
package enum EntityTagCondition: Sendable, Hashable {
    /// `*`: matches every tag.
    case any
    /// Matches these tags; never empty.
    case tags([EntityTag])

    /// Parses the values of all lines of the field; nil if there are no lines.
    ///
    /// - Throws: ``FieldError`` if the value is neither a single `*` nor a list of entity tags.
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

    private static var error: FieldError { FieldError("The field must be * or a list of quoted entity tags.") }
}
