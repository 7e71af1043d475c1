/// The name of an effect, such as `animal.fetch`.
///
/// It is unique in the part of the state that its middleware belongs to: two parts of a store may use the same name, and do not
/// affect each other. Events and receipts show the name alone.
public struct EffectID: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The name, `slice.verb` by custom.
    public let name: String

    /// An id with this name.
    public init(_ name: String) { self.name = name }
    public init(stringLiteral name: String) { self.name = name }

    public var description: String { name }

    /// Whether the names have the same bytes: a name may contain an id that a client has sent.
    public static func == (one: EffectID, other: EffectID) -> Bool { ExactComparison.areSame(one.name, other.name) }
}
