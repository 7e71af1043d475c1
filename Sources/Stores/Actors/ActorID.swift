/// The id of an actor: the subject of a token, or `guest:` and the id that the maker of a share gave; empty for nobody.
///
/// Two ids are the same if their bytes are. Swift compares texts by canonical equivalence, by which `é` as one code point equals `e`
/// with an accent: two users could then act as each other.
///
/// It is encoded as a text, and may be the key of a dictionary or of an ``EntityTable``.
public struct ActorID: Sendable {
    /// The id as a text.
    public let text: String

    /// An id with this text.
    public init(_ text: String) { self.text = text }

    /// Whether it is nobody's.
    public var isEmpty: Bool { text.isEmpty }
}

extension ActorID: Hashable {
    public static func == (one: ActorID, other: ActorID) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { bytes in
            hasher.combine(bytes.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
    }
}

extension ActorID: Comparable {
    /// The order of the bytes.
    public static func < (one: ActorID, other: ActorID) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}

extension ActorID: LosslessStringConvertible, ExpressibleByStringLiteral {
    /// The id as a text.
    public var description: String { text }

    public init(stringLiteral text: String) { self.init(text) }
}

extension ActorID: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension ActorID: CodingKeyRepresentable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    /// The id as the name of a member.
    public var codingKey: any CodingKey { Name(stringValue: text) }

    /// The id that has the name of a member.
    public init(codingKey: some CodingKey) { self.init(codingKey.stringValue) }
}
