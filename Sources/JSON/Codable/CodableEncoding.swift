/// A `Codable` value as JSON.
///
/// The wrapper writes what the value's own `encode(to:)` encodes. If that throws, it writes `null`, and the writer keeps the
/// error as its ``JSONWriter/failure``.
@usableFromInline
package struct CodableJSON<Value: Encodable>: JSONEncodable {
    /// The wrapped value.
    package var value: Value

    /// Wraps a value.
    @usableFromInline
    package init(_ value: Value) {
        self.value = value
    }

    @usableFromInline
    package func encode(into json: inout JSONWriter) {
        json.codable(value)
    }
}

extension CodableJSON: Sendable where Value: Sendable {}
extension CodableJSON: Equatable where Value: Equatable {}

extension JSONWriter {
    /// Writes a value by its `encode(to:)`, as exactly one JSON value.
    ///
    /// The output is deterministic: members are written in the order in which they are encoded, members of a dictionary
    /// by name, and elements of a set by their JSON. Synthesized code leaves out members that are nil; a nil element of an
    /// array is `null`. So are infinities and NaN, as in ``double(_:)``, and they cannot be decoded as a number. If a
    /// member is encoded twice, the last value counts.
    ///
    /// - Throws: The error of `encode(to:)`; also an `EncodingError` if the value is nested too deeply, or if its code
    ///   encodes two values in one place. The writer then has written `null`.
    package mutating func encodable(_ value: some Encodable) throws {
        let start = mark
        guard !scalar(value) else { return }
        do {
            guard try !streams(value) else { return }
            rewind(to: start)
            let tree = EncodingNode(step: nil, parent: nil)
            try tree.encode(value)
            tree.write(into: &self)
        } catch {
            rewind(to: start)
            null()
            throw error
        }
    }

    /// Writes a value by its `encode(to:)`. If that throws, writes `null` and keeps the error as ``failure``.
    package mutating func codable(_ value: some Encodable) {
        do {
            try encodable(value)
        } catch {
            failure = failure ?? Self.reason(error)
        }
    }

    /// A predicate, up to the end of its sentence. It does not quote the value, which may be secret.
    private static func reason(_ error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context) = error else {
            return "throws an error of the type \(type(of: error))."
        }
        let place = context.codingPath.map { "/" + $0.stringValue }.joined()
        let detail = context.debugDescription
        return "throws\(place.isEmpty ? "" : " at \(place)"): \(detail)\(detail.hasSuffix(".") ? "" : ".")"
    }

    /// - Returns: Whether the value's containers were written one after the other, so that the JSON is complete.
    private mutating func streams(_ value: some Encodable) throws -> Bool {
        try withUnsafeMutablePointer(to: &self) { json in
            let stream = EncodingStream(json)
            defer { stream.end() }
            return try stream.encodes(value)
        }
    }
}

extension JSONValue {
    /// The JSON of any `Encodable` value.
    ///
    /// - Throws: The error of `encode(to:)`; also an `EncodingError` if the value is nested too deeply, or if its code
    ///   encodes two values in one place.
    public init(encoding value: some Encodable) throws {
        var json = JSONWriter()
        try json.encodable(value)
        self = try JSONValue(parsing: json.finish(), maximumDepth: Self.maxDepth)
    }
}

/// Limits of Swift's `Codable`, which calls itself for each nested value.
enum CodableLimit {
    /// How deep containers may be nested. This leaves room for the objects that surround a value in a state, because
    /// the whole state must stay within ``JSONValue/maxDepth``.
    static let containers = JSONValue.maxDepth - 32
    /// How deep calls of `encode(to:)` may be nested. An optional element, for example, is a call without a container.
    static let encodingCalls = JSONValue.maxDepth
    /// How deep calls of `init(from:)` may be nested. What was encoded can be decoded, even if that takes more calls.
    static let decodingCalls = JSONValue.maxDepth * 2
}

/// A name or an index on a coding path.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(_ index: Int) {
        stringValue = String(index)
        intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
}

extension JSONWriter {
    /// A position to which the writer can return.
    struct Mark {
        let used: Int
        let needsComma: Bool
    }

    var mark: Mark { Mark(used: used, needsComma: needsComma) }

    /// Removes everything that was written after the mark.
    mutating func rewind(to mark: Mark) {
        used = mark.used
        needsComma = mark.needsComma
    }

    /// Changes the order of entries that end where the text ends.
    ///
    /// - Parameters:
    ///   - starts: where each entry begins; there is a comma before all but the first.
    ///   - order: the new order, given the text of the entries.
    mutating func reorder(from starts: [Int], _ order: ([ArraySlice<UInt8>]) -> [Int]) {
        guard starts.count > 1, let first = starts.first else { return }
        let text = Array(UnsafeBufferPointer(start: start + first, count: used - first))
        let ends = starts.dropFirst().map { $0 - 1 } + [used]
        let entries = zip(starts, ends).map { text[($0 - first)..<($1 - first)] }
        truncate(to: first)
        for index in order(entries) { raw(entries[index]) }
    }

    /// Writes an opening bracket.
    mutating func open(isArray: Bool) { open(isArray ? Byte.openBracket : Byte.openBrace) }

    /// Writes a closing bracket.
    mutating func close(isArray: Bool) { close(isArray ? Byte.closeBracket : Byte.closeBrace) }

    /// Writes a value that Codable treats as a whole.
    ///
    /// - Returns: false, without writing anything, if the type is another.
    @inline(__always)
    mutating func scalar<Value>(_ value: Value) -> Bool {
        // Comparing the types is much faster than casting.
        if Value.self == String.self {
            string(unsafeBitCast(value, to: String.self))
            return true
        }
        if Value.self == Int.self {
            integer(unsafeBitCast(value, to: Int.self))
            return true
        }
        if Value.self == Bool.self {
            bool(unsafeBitCast(value, to: Bool.self))
            return true
        }
        if Value.self == Double.self {
            double(unsafeBitCast(value, to: Double.self))
            return true
        }
        return rareScalar(value)
    }

    @inline(__always)
    private mutating func rareScalar<Value>(_ value: Value) -> Bool {
        if shortInteger(value) || longInteger(value) { return true }
        if Value.self == Float.self {
            float(unsafeBitCast(value, to: Float.self))
            return true
        }
        return false
    }

    /// Writes an integer of a type whose values an `Int` can have.
    @inline(__always)
    private mutating func shortInteger<Value>(_ value: Value) -> Bool {
        if Value.self == Int8.self {
            integer(Int(unsafeBitCast(value, to: Int8.self)))
            return true
        }
        if Value.self == Int16.self {
            integer(Int(unsafeBitCast(value, to: Int16.self)))
            return true
        }
        if Value.self == Int32.self {
            integer(Int(unsafeBitCast(value, to: Int32.self)))
            return true
        }
        if Value.self == Int64.self {
            integer(Int(unsafeBitCast(value, to: Int64.self)))
            return true
        }
        if Value.self == UInt8.self {
            integer(Int(unsafeBitCast(value, to: UInt8.self)))
            return true
        }
        if Value.self == UInt16.self {
            integer(Int(unsafeBitCast(value, to: UInt16.self)))
            return true
        }
        if Value.self == UInt32.self {
            integer(Int(unsafeBitCast(value, to: UInt32.self)))
            return true
        }
        return false
    }

    /// Writes an integer of a type with greater values than an `Int`.
    @inline(__always)
    private mutating func longInteger<Value>(_ value: Value) -> Bool {
        if Value.self == UInt.self {
            digits(of: unsafeBitCast(value, to: UInt.self))
            return true
        }
        if Value.self == UInt64.self {
            digits(of: unsafeBitCast(value, to: UInt64.self))
            return true
        }
        guard #available(macOS 15, iOS 18, visionOS 2, *) else { return false }
        if Value.self == Int128.self {
            digits(of: unsafeBitCast(value, to: Int128.self))
            return true
        }
        if Value.self == UInt128.self {
            digits(of: unsafeBitCast(value, to: UInt128.self))
            return true
        }
        return false
    }

    private mutating func digits(of value: some BinaryInteger) { raw(value.description.utf8) }

    /// Writes the shortest number that parses to the same `Float`, which has fewer digits than that of a `Double`.
    private mutating func float(_ value: Float) {
        if value.isFinite { raw(value.description.utf8) } else { null() }
    }
}

/// A collection whose order is not part of its value, and differs from process to process.
protocol HashOrdered {
    /// How many elements of an array belong together if the collection is encoded as an array.
    static var entryLength: Int { get }
}

extension Set: HashOrdered {
    static var entryLength: Int { 1 }
}

extension Dictionary: HashOrdered {
    /// A dictionary whose keys are no names is encoded as an array of keys and values by turns.
    static var entryLength: Int { 2 }
}

/// The length of an entry of a hash-ordered collection; 0 for any other type.
@inline(__always)
func hashOrderedEntryLength<Value>(of type: Value.Type) -> Int {
    (type as? any HashOrdered.Type)?.entryLength ?? 0
}
