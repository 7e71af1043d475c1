import JSON
import Security
import Sessions

/// Why a request means nothing to the resource that it names. ``Problem`` tells it to clients.
enum RequestFault: Error, Sendable {
    case path(Path)
    case credentials(CredentialFault)
    case query(Query)
    case header(Header)
    case body(Body)

    enum Path: Sendable {
        case unknown
        /// It is not below the base path.
        case outside(String)
        /// The resource has these methods only, as the Allow field lists them.
        case method(allowed: String)
        case host
        /// It is no session ID that a client may choose.
        case sessionID
    }

    /// The realm names the resources that the token is for.
    enum CredentialFault: Sendable {
        case missing(realm: String)
        case several(realm: String)
        case refused(TokenError, realm: String)
        case notAdmin(realm: String)
        case adminIsOff
        /// The page that sends the request is of another origin.
        case origin
    }

    /// The texts are names of parameters.
    enum Query: Sendable {
        case flag(String)
        case number(String, ClosedRange<Int>)
        case repeated(String)
        /// It most likely means this one.
        case misspelled(String)
        /// Only the newest state can be had.
        case revision
        case mark, order, cursor, heartbeat, client
        /// Lines for a terminal do not tell whose entries a value contains.
        case clientOfLines
        /// The type of actions is empty.
        case actionType
        /// The values that it may have.
        case choice(String, [String])
        /// They exclude each other.
        case together(String, String)
        /// A share does not show this.
        case hidden(String)
        /// The server cannot do this.
        case unsupported(String)
    }

    enum Header: Sendable {
        case accept(Offer)
        /// The name of the field.
        case entityTags(String)
        /// It has no meaning here. The text is its name.
        case unsupported(String)
        case idempotencyKey, severalContentTypes, contentEncoding, contentType
    }

    /// The media types of a resource.
    enum Offer: Sendable { case json, jsonAndHTML, events }

    enum Body: Sendable {
        /// In bytes.
        case tooLong(limit: Int)
    }
}
