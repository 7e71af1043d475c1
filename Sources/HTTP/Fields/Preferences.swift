/// The preferences of the Prefer field (RFC 7240). Unknown and malformed preferences are ignored. If a preference
/// occurs several times, the first one counts.
package struct Preferences: Sendable {
    /// The values of the preference `return`.
    package enum Return: String, Sendable, Hashable { case minimal, representation }

    /// Few, so that a search is faster than hashing.
    private var values: [Parameter] = []

    /// - Parameter lines: the values of all Prefer lines.
    package init(_ lines: [String]) {
        for line in lines {
            var cursor = FieldCursor(line)
            while cursor.nextElement() {
                if let preference = Self.preference(&cursor) {
                    values.append(preference)
                } else {
                    cursor.skipElement()
                }
            }
        }
    }

    /// The value of a preference, empty if it has no value; nil if the preference is missing.
    ///
    /// - Parameter name: must be in lower case.
    package subscript(_ name: String) -> String? { values.first { $0.name == name }?.value }

    /// `return=minimal` or `return=representation`.
    package var `return`: Return? { self["return"].flatMap(Return.init) }

    /// `wait=N` in seconds, clamped to `Int.max`.
    package var wait: Int? { self["wait"].flatMap { DecimalNumber.parse($0.utf8) } }

    /// Parses `token [ BWS "=" BWS word ]`, and skips parameters, which the supported preferences do not have.
    private static func preference(_ cursor: inout FieldCursor) -> Parameter? {
        guard let name = cursor.token() else { return nil }
        cursor.skipBlanks()
        var value = ""
        if cursor.take(ASCII.equals) {
            cursor.skipBlanks()
            guard let word = cursor.word() else { return nil }
            value = word
        }
        cursor.skipBlanks()
        while cursor.take(ASCII.semicolon) {
            cursor.skipBlanks()
            guard skipParameter(&cursor) else { return nil }
        }
        return cursor.elementEnds() ? Parameter(name: name.lowercased(), value: value) : nil
    }

    private static func skipParameter(_ cursor: inout FieldCursor) -> Bool {
        guard cursor.token() != nil else { return true }
        cursor.skipBlanks()
        if cursor.take(ASCII.equals) {
            cursor.skipBlanks()
            guard cursor.word() != nil else { return false }
        }
        cursor.skipBlanks()
        return true
    }
}
