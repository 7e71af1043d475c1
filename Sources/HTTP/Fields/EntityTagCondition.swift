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
