package import JSON

/// The places of the name and the roles of a subject among the claims of its token.
///
/// Neither can make a token invalid: what is not as it must be is left out.
package struct ActorClaims: Sendable, Hashable {
    /// The most roles that are taken from a token.
    package static let maxRoles = 32
    private static let roleLengths = 1...64
    private static let maxNameBytes = 256
    private static let guestPrefix = "guest:"

    package var name = JSONPointer(tokens: ["name"])
    package var roles = JSONPointer(tokens: ["storehouse", "roles"])

    package init() {}

    /// The name that a token gives; nil if it gives none, or one that could deceive a reader.
    func name(in claims: JSONValue) -> String? {
        name.value(in: claims)?.asString.flatMap { Self.isName($0) ? $0 : nil }
    }

    /// The roles that a token gives.
    func roles(in claims: JSONValue) -> [String] {
        let elements = roles.value(in: claims)?.asArray ?? []
        return Array(elements.lazy.compactMap(\.asString).filter(Self.isRole).prefix(Self.maxRoles))
    }

    /// Whether a text is taken as a name: it has 1 to 256 bytes, and nothing that controls the text around it.
    package static func isName(_ text: String) -> Bool {
        (1...maxNameBytes).contains(text.utf8.count) && text.isPlain
    }

    /// Whether a text is taken as a role: it has 1 to 64 code points.
    package static func isRole(_ text: String) -> Bool { roleLengths.contains(text.unicodeScalars.count) }

    /// Whether a subject would look like a guest, whom the maker of a share has named.
    package static func isOfGuest(_ subject: String) -> Bool { subject.utf8.starts(with: guestPrefix.utf8) }
}
