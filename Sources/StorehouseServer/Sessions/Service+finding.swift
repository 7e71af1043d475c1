import HTTP
import Stores

extension Service {
    /// Goes on with the session that a path names, on the call's loop: now where it is in memory, else when it was found.
    func withSession(
        _ segment: PathSegment, _ call: Call, _ use: @escaping @Sendable (Session, Call) throws(Problem) -> Void
    ) throws(Problem) {
        try find(segment, call) { (found, call) throws(Problem) in try use(try Self.session(found), call) }
    }

    /// The same where it matters what became of it.
    func find(
        _ segment: PathSegment, _ call: Call,
        _ use: @escaping @Sendable (SessionRegistry.Lookup, Call) throws(Problem) -> Void
    ) throws(Problem) {
        guard let id = SessionID(segment.decoded) else { return try use(.unknown, call) }
        try find(id, call, use)
    }

    func find(
        _ id: SessionID, _ call: Call, _ use: @escaping @Sendable (SessionRegistry.Lookup, Call) throws(Problem) -> Void
    ) throws(Problem) {
        if let found = registry.find(id) { return try use(found, call) }
        guard let loader else { return try use(.unknown, call) }
        let later = call.later
        loader.load(id) { found in
            later.resume { call throws(Problem) in try use(try found.get(), call) }
        }
    }

    static func session(_ found: SessionRegistry.Lookup) throws(Problem) -> Session {
        switch found {
        case .session(let session): return session
        case .ended:
            throw Problem(.sessionEnded, "This session was deleted or expired; create another with POST /sessions.")
        case .unknown:
            throw Problem(.noSuchSession, "No session has this id; create one with POST /sessions.")
        }
    }
}

extension Call {
    /// Sends an answer about a session once all is kept that it may tell of.
    func answer(_ response: Response, about session: Session) {
        guard let journal = session.journal, !journal.isKept else { return answer(response) }
        let deferred = deferred
        journal.whenKept { failure in deferred.answer { failure.map { Problem($0).response } ?? response } }
    }
}
