import HTTP
import HTTPServer
import JSON
import Locks
import Security
import StoreHosting
import Stores

/// Finds the session that each subject has of each kind, and creates it with the first use.
///
/// The registry knows those in memory, and the journal knows all. A journal refuses a second one of the same subject and
/// kind, so there is one at most, whatever happens here.
final class PersonalSessions: Sendable {
    /// How often a session is looked for again that has ended in the meantime.
    private static let maxAttempts = 3

    private let creator: SessionCreator
    private let registry: SessionRegistry
    private let locator: SessionLocator?
    /// Nil if all sessions are in memory.
    private let journal: (any Journal)?
    private let availability: Availability
    private let limits: RateLimits
    // Each is held while a session is created, so that two requests do not create two. The locks of the registry and of the
    // journal are taken inside. They guard no value, but have one: a value without a size would be where the lock's header is,
    // and ThreadSanitizer reports that.
    private let creating = (0..<64).map { _ in Locked(false) }

    init(
        _ creator: SessionCreator, _ locator: SessionLocator?, _ journal: (any Journal)?, _ availability: Availability,
        _ limits: RateLimits
    ) {
        self.creator = creator
        self.locator = locator
        self.availability = availability
        self.limits = limits
        registry = creator.registry
        self.journal = journal?.outlivesProcess == true ? journal : nil
    }

    /// Calls `use` with the session of the subject of a token, and of the kind that the query names.
    func withSession(
        of subject: Subject, _ context: RequestContext, _ use: @escaping SessionAccess.Use
    ) throws(Problem) {
        let kind = try Problem.of { () throws(SessionFailure) in
            try creator.builder.kind(context.head.query.first("store"))
        }
        try context.credentials.require(store: kind.kind.name)
        try find(PersonalKey(subject: subject, kind: kind.kind.name), kind, context, attempt: 1, use)
    }

    private func find(
        _ key: PersonalKey, _ kind: KindRuntime, _ context: RequestContext, attempt: Int,
        _ use: @escaping SessionAccess.Use
    ) throws(Problem) {
        if let session = resident(key) {
            return try self.use(session, key, kind, context, attempt: attempt, use)
        }
        guard let journal, let locator else { return try use(try create(key, kind, context), context) }
        let deferred = context.deferred
        // What to do with the session, once it is known whether there is one.
        let proceed: SessionLocator.Use = { [self] (found, context) throws(Problem) in
            switch found {
            case .session(let session): try use(session, context)
            case .unknown:
                try self.use(try create(key, kind, context), key, kind, context, attempt: attempt, use)
            case .unreadable(let failure, _): throw Problem(failure)
            // It expired as it was loaded. The journal finds it no more.
            case .ended, .elsewhere: try findAgain(key, kind, context, attempt: attempt, use)
            }
        }
        journal.personalSession(of: key.subject, kind: key.kind) { found in
            deferred.resume { context throws(Problem) in
                let id = try found.mapError { Problem($0) }.get().flatMap { SessionID($0.utf8) }
                guard let id else { return try proceed(.unknown, context) }
                try locator.find(id, for: context, proceed)
            }
        }
    }

    private func findAgain(
        _ key: PersonalKey, _ kind: KindRuntime, _ context: RequestContext, attempt: Int,
        _ use: @escaping SessionAccess.Use
    ) throws(Problem) {
        guard attempt < Self.maxAttempts else { throw Problem(JournalError.unavailable("")) }
        try find(key, kind, context, attempt: attempt + 1, use)
    }

    /// Calls `use` with a session in memory. Another node may create one at the same time, and the journal takes only the first:
    /// look for it then.
    private func use(
        _ session: Session, _ key: PersonalKey, _ kind: KindRuntime, _ context: RequestContext, attempt: Int,
        _ use: @escaping SessionAccess.Use
    ) throws(Problem) {
        guard journal?.isShared == true, session.store.revision == 0, !session.isDurable else {
            return try use(session, context)
        }
        let deferred = context.deferred
        session.whenDurable { failure in
            deferred.resume { [self] context throws(Problem) in
                guard failure == .conflict else { return try use(session, context) }
                try findAgain(key, kind, context, attempt: attempt, use)
            }
        }
    }

    /// The session if it is in memory and has not expired.
    private func resident(_ key: PersonalKey) -> Session? {
        guard let id = registry.personalSession(key), case .session(let session)? = registry.find(id) else {
            return nil
        }
        return session
    }

    /// Creates the session, unless another request has just done so.
    private func create(
        _ key: PersonalKey, _ kind: KindRuntime, _ context: RequestContext
    ) throws(Problem) -> Session {
        try context.credentials.require(.create)
        return try Problem.of { () throws(SessionFailure) in
            try availability.requireRoom()
            let lock = creating[Int(UInt(bitPattern: key.hashValue) % UInt(creating.count))]
            return try lock.withLock { _ throws(SessionFailure) in
                if let session = resident(key) { return session }
                try limits.admitCreation(context.head, peer: context.exchange.peer)
                return try creator.create(kind, owner: key.subject, isPersonal: true)
            }
        }
    }
}

/// A subject and the name of a kind, of which there is one personal session.
struct PersonalKey: Sendable, Hashable {
    let subject: Subject
    let kind: String
}

extension Session {
    /// Nil if it is not personal.
    var personalKey: PersonalKey? {
        guard isPersonal, let owner else { return nil }
        return PersonalKey(subject: owner, kind: kind.name)
    }
}
