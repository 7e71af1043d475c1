import JSON
package import Security
import StoreHosting
package import Stores

/// Makes a share.
package struct ShareCreation: PermitCommand {
    /// What its maker wants.
    package struct Wish: Sendable {
        package var permissions = Permissions([.read])
        /// A JSON Pointer, or the name of a selector.
        package var selection = ""
        /// In seconds.
        package var lifetime = Share.usualLifetime
        /// The types of the actions that its holder may send; nil for all.
        package var actions: [String]?
        /// Nil for an anonymous holder.
        package var holder: Actor?
        package var label: String?

        package init() {}
    }

    private let wish: Wish
    private let maker: Credentials
    /// By which it expires.
    private let clock: WallClock

    package init(_ wish: Wish, by maker: Credentials, clock: WallClock) {
        self.wish = wish
        self.maker = maker
        self.clock = clock
    }

    package var right: Permission? { .share }
    package var rightsToPassOn: Permissions { wish.permissions }
    package var usesStore: Bool { false }
    package var isRevocation: Bool { false }

    package func perform(on session: Session) throws(SessionFailure) -> SessionResult.Content {
        if !wish.selection.isEmpty { _ = try Selection(wish.selection, of: session.kind) }
        try requireRoles()
        try requireActions(of: session.kind)
        let now = clock.now()
        let generation = session.permits.generation
        switch session.permits.makeRoom(limit: session.runtime.limits.maxPermits, now: session.now) {
        case .none(let until):
            throw .permit(.tooMany(retryAfter: max(1, (until - session.now + 999) / 1000)))
        case .free(let dropped):
            let terms = PermitTerms(
                id: SessionID.random().description, wish.permissions, selection: wish.selection,
                actions: wish.actions?.map { Subject($0) }, holder: wish.holder, label: wish.label,
                maker: try maker.visitor(of: session), madeAt: now, expiresAt: now + wish.lifetime * 1000,
                generation: generation)
            // Nobody can revoke it before it is recorded.
            session.journal?.record(.made(terms.record, dropped: dropped))
            session.permits.add(terms)
            session.watchMakers()
            return .permits([terms])
        }
    }

    /// Whoever knows the id of a session may do everything with it, in every role.
    private func requireRoles() throws(SessionFailure) {
        guard case .token(let claims) = maker else { return }
        for role in wish.holder?.roles ?? [] where !claims.actor.has(role) { throw .forbidden(.role(role)) }
    }

    /// A type that no action has is a mistake: the share would allow less than its maker means.
    private func requireActions(of kind: StoreKind) throws(SessionFailure) {
        let wrong = (wish.actions ?? []).enumerated().filter { _, type in
            !kind.actions.contains { Subject($0.type) == Subject(type) }
        }
        guard wrong.isEmpty else {
            throw .invalid(
                wrong.map { index, type in
                    .init(
                        pointer: JSONPointer(tokens: ["actions", String(index)]), detail: "is no action of the store")
                }, .permit)
        }
    }
}

/// Lists the shares that are valid, the oldest first. Those of earlier releases are in no list.
package struct ShareList: SessionCommand {
    package init() {}

    package var right: Permission? { .share }
    package var usesStore: Bool { false }

    package func perform(on session: Session) -> SessionResult.Content {
        .permits(session.permits.all.filter { Share(session.id, $0).isValid(in: session) })
    }
}
