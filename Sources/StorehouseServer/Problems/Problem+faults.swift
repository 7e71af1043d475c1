import HTTP
import JSON
import Sessions

// How clients read each fault of a request.
extension Problem {
    init(_ fault: RequestFault) {
        switch fault {
        case .path(let cause): self.init(cause)
        case .credentials(let cause): self.init(cause)
        case .query(let cause): self.init(cause)
        case .header(let cause): self.init(cause)
        case .body(let cause): self.init(cause)
        }
    }

    private init(_ cause: RequestFault.Path) {
        switch cause {
        case .unknown: self.init(.noSuchResource, "No resource has this path. GET / lists the resources.")
        case .outside(let base): self.init(.noSuchResource, "All resources of this server are below \(base).")
        case .method(let allowed):
            self = Problem(.methodNotAllowed, "This resource supports \(allowed).").with(.init("Allow", allowed))
        case .host:
            self.init(
                .misdirectedRequest,
                "This server does not answer for this host. If it is one of its own, add it to http.allowedHosts.")
        case .sessionID:
            self.init(
                .malformedRequest,
                "The id of a session has 22 to 64 characters of URL-safe base64: letters, digits, - and _. Make it of at "
                    + "least 128 random bits, or let the server make one with POST /sessions.")
        }
    }

    private init(_ cause: RequestFault.CredentialFault) {
        switch cause {
        case .missing(let realm):
            let kind = realm == "admin" ? "the admin token" : "a token"
            self.init(unauthorized: "Send Authorization: Bearer with \(kind).", realm, error: nil)
        case .several(let realm):
            self.init(unauthorized: "Send one Authorization field only.", realm, error: "invalid_request")
        case .refused(let error, let realm):
            self.init(unauthorized: "The token is refused. \(error)", realm, error: "invalid_token")
        case .notAdmin(let realm):
            self.init(
                unauthorized: "The token is not the admin token of this server.", realm, error: "invalid_token")
        case .adminIsOff:
            self.init(
                .noSuchResource,
                "/admin is off. Set admin.token (STOREHOUSE_ADMIN_TOKEN) of the server to switch it on.")
        case .origin:
            self.init(
                .forbidden,
                "Pages of this origin may not change anything here; http.allowedOrigins does not list it. If it is the "
                    + "origin of this server behind a proxy, list the proxy in http.trustedProxies.")
        }
    }

    private init(unauthorized detail: String, _ realm: String, error: String?) {
        let error = error.map { ", error=\"\($0)\"" } ?? ""
        self = Problem(.unauthorized, detail)
            .with(.init("WWW-Authenticate", "Bearer realm=\"\(realm)\"\(error)"))
    }

    private init(_ cause: RequestFault.Query) {
        self.init(.malformedRequest, cause.detail)
    }

    private init(_ cause: RequestFault.Header) {
        switch cause {
        case .accept(let offer): self.init(.notAcceptable, offer.detail)
        case .entityTags(let name):
            self.init(.malformedRequest, "\(name) must be * or entity tags in quotes, such as \"3\".")
        case .unsupported(let name):
            self.init(.malformedRequest, "This resource has no use for \(name), so leave it out: the body says it.")
        case .idempotencyKey:
            self.init(
                .malformedRequest,
                "Idempotency-Key must be one string of 1 to 255 characters in quotes, such as \"k-1\".")
        case .severalContentTypes: self.init(.malformedRequest, "Send one Content-Type field only.")
        case .contentEncoding:
            self = Problem(.unsupportedMediaType, "Send the body as it is, without a Content-Encoding.")
                .with(.init("Accept-Encoding", "identity"))
        case .contentType:
            self.init(.unsupportedMediaType, "Send JSON in UTF-8, with Content-Type: application/json.")
        }
    }

    private init(_ cause: RequestFault.Body) {
        switch cause {
        case .tooLong(let limit):
            self.init(.bodyTooLarge, "The body of this request may have \(limit) bytes.")
        }
    }
}

extension RequestFault.Query {
    fileprivate var detail: String {
        switch self {
        case .flag(let name): return "\(name) must be true or false."
        case .number(let name, let range):
            let bounds = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
            return "\(name) must be a whole number: \(range.lowerBound) \(bounds)."
        case .repeated(let name): return "A query must not contain \(name) twice."
        case .misspelled(let meant): return "This resource has no parameter of this name. Did you mean \(meant)?"
        case .revision: return "A share shows the newest state only; leave out revision."
        case .mark: return "mark must be the 8 hexadecimal digits by which the log names a session."
        case .order: return "order must be used, for the last used first; leave it out for the order of the ids."
        case .cursor: return "after must be the next of an earlier page of the same list, in the same order."
        case .heartbeat: return "heartbeat must be event."
        case .client: return "sync must be the id of a client: 22 to 64 characters of URL-safe base64."
        case .clientOfLines: return "text/plain does not tell whose entries a value contains; leave sync out."
        case .hidden(let name): return "A share shows no \(name); leave the parameter out."
        case .unsupported(let name): return "This server has no parameter \(name); leave it out."
        case .actionType: return "type must be the type of an action; GET /stores lists them."
        case .choice(let name, let values): return "\(name) must be \(values.joined(separator: " or "))."
        case .together(let name, let other): return "\(name) and \(other) exclude each other; leave out one of them."
        }
    }
}

extension RequestFault.Offer {
    fileprivate var detail: String {
        switch self {
        case .json: "This resource is application/json; let Accept include it."
        case .jsonAndHTML: "This resource is application/json and text/html; let Accept include one."
        case .events:
            "This resource is text/event-stream, or text/plain for a terminal. Accept must include one of them."
        }
    }
}
