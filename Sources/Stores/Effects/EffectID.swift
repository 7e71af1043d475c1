/// The id of an effect, such as `animal.fetch`, or `price.Tea` for one of several items.
///
/// It is unique in the part of the state that its middleware belongs to: two parts of a store may use the same id, and do not
/// affect each other. Events and receipts show the id alone.
///
/// Its ``name`` is the fixed part of it. Metrics and log lines show only the name, so a text of a user belongs into the rest:
///
///     EffectID("price", for: item)
///     "price.\(item)"
///
/// Both are the id `price.Tea` with the name `price` if the item is `Tea`.
public struct EffectID: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The name, `slice.verb` by custom. All effects of one kind of work have the same.
    public let name: String
    /// The whole id.
    public let description: String

    /// An id.
    ///
    /// - Parameters:
    ///   - name: the name. It is seen in metrics and in the log, so it must not come from a user.
    ///   - item: tells effects of one name apart; nil if there is one only. It may come from a user.
    public init(_ name: String, for item: String? = nil) {
        self.name = name
        description = item.map { name + "." + $0 } ?? name
    }

    /// An id that is its own name.
    public init(stringLiteral name: String) { self.init(name) }

    /// An id whose name is the literal text in it.
    public init(stringInterpolation parts: StringInterpolation) {
        name = parts.literals.isEmpty ? "effect" : parts.literals.joined(separator: ".")
        description = parts.text
    }

    /// Whether the ids have the same bytes: an id may contain one that a client has sent.
    public static func == (one: EffectID, other: EffectID) -> Bool {
        ExactComparison.areSame(one.description, other.description)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension EffectID {
    /// The text of an id, and apart from it the literals that it is made of.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        /// Without the punctuation around them.
        fileprivate var literals: [Substring] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        /// Adds a literal, which is part of the name.
        public mutating func appendLiteral(_ literal: String) {
            text += literal
            let isPunctuation = { (character: Character) in !character.isLetter && !character.isNumber }
            let start = literal.drop(while: isPunctuation)
            guard let end = start.lastIndex(where: { !isPunctuation($0) }) else { return }
            literals.append(start[...end])
        }

        /// Adds a value, which is not part of the name.
        public mutating func appendInterpolation(_ value: some Any) { text += "\(value)" }
    }
}
