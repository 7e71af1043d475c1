/// What a client prefers (RFC 7240). Preferences never fail a request: unknown ones and broken ones are passed over,
/// and of several with one name the first counts.
package struct Preferences: Sendable {
    /// What `return=` asks for.
    package enum Return: String, Sendable, Hashable { case minimal, representation }

    private var values: [String: String] = [:]

    /// Reads the values of all Prefer lines.
    package init(_ lines: [String]) {
        for line in lines {
            var cursor = FieldCursor(line)
            while cursor.nextElement() {
                if let preference = Self.preference(&cursor) {
                    if values[preference.name] == nil { values[preference.name] = preference.value }
                } else {
                    cursor.skipElement()
                }
            }
        }
    }

    /// The value of a preference, empty where it has none; nil where the client does not name it.
    ///
    /// - Parameter name: in lower case.
    package subscript(_ name: String) -> String? { values[name] }

    /// `return=minimal` or `return=representation`.
    package var `return`: Return? { values["return"].flatMap(Return.init) }

    /// `wait=N`, in seconds; a number too large to be read is the largest one that can.
    package var wait: Int? { values["wait"].flatMap { DecimalNumber.parse($0.utf8) } }

    /// `token [ BWS "=" BWS word ]` and parameters, which no preference known here has.
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
