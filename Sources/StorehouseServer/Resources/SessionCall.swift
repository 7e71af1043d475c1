import HTTP
import Security
import Sessions

/// How a resource is read and answered that is a session, or belongs to one.
struct SessionCall: Sendable {
    typealias Parse = @Sendable (RequestContext) throws(Problem) -> SessionRequest
    typealias Respond = @Sendable (SessionResult, RequestHead) throws(Problem) -> Response

    typealias Create = @Sendable (RequestContext) throws(Problem) -> SessionCreation

    let purpose: SessionAccess.Purpose
    /// Makes the request to the session, once the client is known to have access.
    let parse: Parse
    /// Makes the request for the session, if there is none; nil if that is a failure.
    let create: Create?
    /// Makes the response of the result.
    let respond: Respond

    init(
        _ permission: Permission, isUse: Bool = true, mayRepeat: Bool = false, parse: @escaping Parse,
        create: Create? = nil, respond: @escaping Respond
    ) {
        purpose = SessionAccess.Purpose(
            permission: permission, isUse: isUse, creates: create != nil, mayRepeat: mayRepeat)
        self.create = create
        self.parse = parse
        self.respond = respond
    }
}
