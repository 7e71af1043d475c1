import HTTP
import JSON
import Stores

extension Service {
    /// Creates a session that goes on from a state of another.
    func forkSession(_ segment: PathSegment, _ call: Call) throws(Problem) {
        try refuseWhileDraining()
        try refuseWhileUnavailable()
        try Self.requireAcceptable(call.head)
        let wanted = try Self.forkedRevision(call.request)
        try withSession(segment, call) { [self] (parent, call) throws(Problem) in
            let revision = wanted ?? parent.store.revision
            let later = call.later
            parent.past(revision) { found in
                later.resume { call throws(Problem) in
                    try self.begin(parent.hosted, .init(revision, try found.get()), call)
                }
            }
        }
    }

    /// The revision that the body names; nil for the newest.
    private static func forkedRevision(_ request: Request) throws(Problem) -> Int? {
        guard !request.body.isEmpty else { return nil }
        let body = try request.json()
        let violations = forkRequest.validate(body)
        guard violations.isEmpty else {
            throw Problem.invalid(violations, "The body must be like {\"revision\":3}, or empty for the newest.")
        }
        return body["revision"]?.asInteger
    }

    /// The body that forks a session.
    static let forkRequest = JSONSchema.object([
        .optional("revision", .integer(minimum: 0).described("The revision to begin with; the newest without one."))
    ])
}
