extension JSONValue {
    /// No limit on nesting goes beyond this one, so that no document can exhaust a thread's stack.
    public static let deepestNesting = 512

    /// Parses strict JSON (RFC 8259) in time linear in the bytes.
    ///
    /// Refused are also what the RFC leaves open and clients trip over: a byte order mark, a member name twice in one
    /// object, half a surrogate pair. Integers of 64 bits stay exact.
    /// - Parameters:
    ///   - bytes: one value in UTF-8, with white space around it at most.
    ///   - maximumDepth: how many objects and arrays may stand inside each other, 512 at most.
    public init(parsing bytes: UnsafeRawBufferPointer, maximumDepth: Int = 64) throws(JSONSyntaxError) {
        guard let start = bytes.baseAddress else { throw JSONSyntaxError(.empty, at: 0) }
        var parser = JSONParser(start: start, count: bytes.count, maximumDepth: min(maximumDepth, Self.deepestNesting))
        self = try parser.parseDocument()
    }

    /// Parses strict JSON (RFC 8259), as `init(parsing:maximumDepth:)` for raw bytes does.
    public init(parsing bytes: [UInt8], maximumDepth: Int = 64) throws(JSONSyntaxError) {
        self = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONSyntaxError) in
            try JSONValue(parsing: UnsafeRawBufferPointer(buffer), maximumDepth: maximumDepth)
        }
    }

    /// Parses strict JSON (RFC 8259), as `init(parsing:maximumDepth:)` for raw bytes does. Offsets count UTF-8 bytes.
    public init(parsing text: String, maximumDepth: Int = 64) throws(JSONSyntaxError) {
        try self.init(parsing: Array(text.utf8), maximumDepth: maximumDepth)
    }
}
