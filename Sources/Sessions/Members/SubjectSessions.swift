package import JSON
package import StoreHosting
package import Stores

/// Lists the sessions that a subject owns or is a member of.
package struct SubjectSessions: Sendable {
    /// Whose sessions are listed.
    package struct Question: Sendable {
        package let subject: Subject
        package let actor: Actor
        /// Nil for both.
        package let role: SessionRole?
        /// The name of the kind; nil for any.
        package let store: Subject?
        /// The names of the kinds that the token of the subject is limited to; nil for all.
        package let stores: [Subject]?

        package init(
            of subject: Subject, _ actor: Actor, as role: SessionRole?, store: Subject?, among stores: [Subject]?
        ) {
            self.subject = subject
            self.actor = actor
            self.role = role
            self.store = store
            self.stores = stores
        }

        fileprivate func includes(kind name: String) -> Bool {
            let name = Subject(name)
            return store.map { $0 == name } ?? true && stores?.contains(name) ?? true
        }
    }

    /// Some sessions in the order of their ids.
    package struct Portion: Sendable {
        /// The document is nil if the list does not show the session.
        package var sessions: [(id: SessionID, document: SessionDocument?)] = []
        /// Whether no session follows.
        package var isLast = false
    }

    /// How many sessions are looked at one after another without an index.
    private static let scannedAtOnce = 100

    private let registry: SessionRegistry
    private let kinds: [KindRuntime]
    /// Nil if all sessions are in memory.
    private let journal: (any Journal)?
    private let check: MemberCheck

    package init(
        _ registry: SessionRegistry, _ kinds: [KindRuntime], _ journal: (any Journal)?, _ check: MemberCheck
    ) {
        self.registry = registry
        self.kinds = kinds
        self.check = check
        self.journal = journal?.outlivesProcess == true ? journal : nil
    }

    /// The next sessions after `id`. It may take long, and must not be called on an event loop.
    ///
    /// - Parameter limit: how many sessions are wanted.
    package func next(
        _ question: Question, after id: SessionID?, limit: Int
    ) async throws(SessionFailure) -> Portion {
        guard let journal else { return residents(question, after: id, limit: limit) }
        var portion = Portion()
        let isIndexed = check.isDone || question.role == .owner && !journal.mayLackOwners
        let count = isIndexed ? limit : max(limit, Self.scannedAtOnce)
        do throws(JournalError) {
            let found =
                isIndexed
                ? try await journal.sessions(
                    of: question.subject, as: question.role, after: id?.description, limit: count)
                : try await journal.list(after: id?.description, limit: count)
            for summary in found {
                guard let id = SessionID(summary.header.id.utf8) else { continue }
                let isShown = try await shows(summary, id, question, in: journal)
                portion.sessions.append((id, isShown ? registry.document(of: summary) : nil))
            }
            portion.isLast = found.count < count
        } catch {
            throw .unavailable(.storage(error))
        }
        return portion
    }

    private func residents(_ question: Question, after id: SessionID?, limit: Int) -> Portion {
        var portion = Portion()
        let found = registry.subjects.sessions(
            of: question.actor.id, as: question.role, after: id, limit: limit)
        for id in found {
            let session = registry.resident(id).flatMap { shows($0, question) ? $0 : nil }
            portion.sessions.append((id, session.map { registry.document(of: $0, revision: $0.store.revision) }))
        }
        portion.isLast = found.count < limit
        return portion
    }

    private func shows(_ session: Session, _ question: Question) -> Bool {
        guard question.includes(kind: session.kindName) else { return false }
        if question.role != .member, session.owner == question.subject { return true }
        return question.role != .owner && Self.shows(session.store, to: question.actor)
    }

    private func shows(
        _ summary: SessionSummary, _ id: SessionID, _ question: Question, in journal: any Journal
    ) async throws(JournalError) -> Bool {
        guard question.includes(kind: summary.header.kind) else { return false }
        if question.role != .member, summary.header.owner == question.subject { return true }
        guard question.role != .owner, let kind = kinds.named(summary.header.kind), kind.kind.hasMembers else {
            return false
        }
        if let session = registry.resident(id) { return Self.shows(session.store, to: question.actor) }
        guard let store = try await kind.storedState(of: id, in: journal) else { return false }
        return Self.shows(store, to: question.actor)
    }

    /// Whether a member sees the session in its list. It is asked of the state itself: the index may have one more.
    private static func shows(_ store: HostedStore, to actor: Actor) -> Bool {
        var isShown = false
        store.inspect { state in
            isShown = state.members?.contains(actor.id) == true && state.rights(of: actor).contains(.read)
        }
        return isShown
    }
}

extension KindRuntime {
    /// A store with the newest stored state of a session; nil if it cannot be read.
    func storedState(of id: SessionID, in journal: any Journal) async throws(JournalError) -> HostedStore? {
        guard let stored = try await intactState(of: id, in: journal), let snapshot = stored.snapshot() else {
            return nil
        }
        return try? restored(snapshot).makeStore(environment: environment, recorder: nil, revision: stored.revision)
    }

    /// Nil if there is no such session, or if it is damaged.
    private func intactState(of id: SessionID, in journal: any Journal) async throws(JournalError) -> StoredState? {
        do throws(JournalError) {
            return try await journal.newestState(of: id.description)
        } catch {
            guard case .corrupt = error else { throw error }
            return nil
        }
    }
}
