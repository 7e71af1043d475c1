/// Why a token is refused. The text is for the client: it says nothing about keys.
package enum TokenError: Error, Sendable, Hashable {
    /// It is not a signed token in the compact form (RFC 7515, section 7.1), or it is too long.
    case malformed
    /// It has an algorithm, or an extension that must be understood, which this server does not accept.
    case unsupported
    /// No key of the server has made the signature.
    case notVerified
    /// No key has the identifier that the token names. It may be a new one.
    case unknownKey
    /// It names no key, and more keys could have signed it than are tried.
    case ambiguousKey
    case expired
    case notYetValid
    case wrongIssuer
    case wrongAudience
    /// A claim is missing, or has a value that it cannot have.
    case claim(String)
}

extension TokenError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed: "It is not a signed JSON Web Token of at most \(JSONWebToken.maxBytes) bytes."
        case .unsupported: "Its header demands something that this server does not accept."
        case .notVerified, .unknownKey: "No key of this server has signed it."
        case .ambiguousKey: "It does not name one key (kid)."
        case .expired: "It has expired."
        case .notYetValid: "It is not valid yet."
        case .wrongIssuer: "Its issuer is not that of this server."
        case .wrongAudience: "It is for another audience."
        case .claim(let name): "Its claim \(name) is missing or invalid."
        }
    }
}
