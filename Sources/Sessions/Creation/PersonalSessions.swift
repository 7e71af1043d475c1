package import JSON
import Locks
import Security
package import StoreHosting
import Stores

/// Finds the session that each subject has of each kind, and creates it with the first use.
///
/// The registry knows those in memory, and the journal knows all. A journal refuses a second one of the same subject and
/// kind, so there is one at most, whatever happens here.
package final class PersonalSessions: Sendable {
    /// How often a session is looked for again that has ended in the meantime.
    private static let maxAttempts = 3

    private let creator: SessionCreator
    private let registry: SessionRegistry
    /// Nil if all sessions are in memory.
    private let journal: (any Journal)?
    private let availability: Availability
    private let limits: RateLimits
    // Each is held while a session is created, so that two requests do not create two. The locks of the registry and of the
    // journal are taken inside. They guard no value, but have one: a value without a size would be where the lock's header is,
    // and ThreadSanitizer reports that.
    private let creating = (0..<64).map { _ in Locked(false) }

    package init(
        _ creator: SessionCreator, _ journal: (any Journal)?, _ availability: Availability, _ limits: RateLimits
    ) {
        self.creator = creator
        self.availability = availability
        self.limits = limits
        registry = creator.registry
        self.journal = journal?.outlivesProcess == true ? journal : nil
    }

    /// Loads a session that is not in memory, for the request.
    package typealias Load = @Sendable (SessionID) async throws(SessionFailure) -> Located

    /// Whose session is wanted, and by whom.
    package struct Request: Sendable {
        package let subject: Subject
        /// The name of the kind; nil for the default.
        package let store: String?
        package let credentials: Credentials
        /// Whose rate a creation counts for.
        package let client: RateLimits.Client

        package init(subject: Subject, store: String?, credentials: Credentials, client: RateLimits.Client) {
            self.subject = subject
            self.store = store
            self.credentials = credentials
            self.client = client
        }
    }

    /// Finds the session of the subject of a token, and of the kind that is named, or creates it.
    package func find(_ request: Request, load: @escaping Load) throws(SessionFailure) -> Handling<Located> {
        let kind = try creator.builder.kind(request.store)
        try request.credentials.require(store: kind.kind.name)
        let wanted = Wanted(
            key: PersonalKey(subject: request.subject, kind: kind.kind.name), kind: kind, request: request)
        if let session = resident(wanted.key), !mayHaveRival(session) { return .now(Located(.session(session))) }
        guard let journal else { return .now(Located(.session(try create(wanted)))) }
        return .later { [self] () async throws(SessionFailure) in try await find(wanted, in: journal, load) }
    }

    private struct Wanted: Sendable {
        let key: PersonalKey
        let kind: KindRuntime
        let request: Request
    }

    private func find(
        _ wanted: Wanted, in journal: any Journal, _ load: Load
    ) async throws(SessionFailure) -> Located {
        for _ in 1...Self.maxAttempts {
            var located = Located(resident(wanted.key).map(SessionRegistry.Lookup.session) ?? .unknown)
            if case .unknown? = located.found, let id = try await stored(wanted.key, in: journal) {
                located = try await load(id)
                if case .session? = located.found { return located }
            }
            switch located.found {
            case nil: return located
            case .session(let session)?: if await isFirst(session) { return located }
            case .unknown?:
                let session = try create(wanted)
                if await isFirst(session) { return Located(.session(session), mayBeDone: located.mayBeDone) }
            case .unreadable(let failure, _)?: throw failure
            // It expired as it was loaded. The journal finds it no more.
            case .ended?, .elsewhere?: break
            }
        }
        throw .unavailable(.storage(.unavailable("")))
    }

    private func stored(_ key: PersonalKey, in journal: any Journal) async throws(SessionFailure) -> SessionID? {
        do throws(JournalError) {
            return try await journal.personalSession(of: key.subject, kind: key.kind).flatMap { SessionID($0.utf8) }
        } catch {
            throw .unavailable(.storage(error))
        }
    }

    /// Whether another node may create one at the same time. The journal takes only the first.
    private func mayHaveRival(_ session: Session) -> Bool {
        guard journal?.isShared == true, session.store.revision == 0 else { return false }
        if case .now = session.release((), upTo: 0) { return false }
        return true
    }

    private func isFirst(_ session: Session) async -> Bool {
        guard mayHaveRival(session) else { return true }
        do throws(SessionFailure) {
            try await session.release((), upTo: 0).value()
            return true
        } catch {
            if case .unavailable(.storage(.conflict)) = error { return false }
            return true
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
    private func create(_ wanted: Wanted) throws(SessionFailure) -> Session {
        try wanted.request.credentials.require(.create)
        try availability.requireRoom()
        let lock = creating[Int(UInt(bitPattern: wanted.key.hashValue) % UInt(creating.count))]
        return try lock.withLock { _ throws(SessionFailure) in
            if let session = resident(wanted.key) { return session }
            try limits.admitCreation(of: wanted.request.client)
            return try creator.create(wanted.kind, owner: wanted.key.subject, isPersonal: true)
        }
    }
}
