package import HTTP
package import Security

/// The credentials that a method of a resource demands.
package enum AccessRule: Sendable, Equatable {
    /// Nothing.
    case open
    /// Any valid token, in token mode.
    case authenticated
    /// The permission, and a session that the credentials give access to.
    case permission(Permission)
    /// A valid permit that has the permission, in both modes. ``SessionAccess`` demands the permission, after it knows that the
    /// permit is not revoked.
    case holder(Permission)
    /// The admin token, or in token mode a token with the permission `admin`.
    case operators
}

extension Route {
    /// The permission that a resource below a permit demands; nil for any other resource.
    var holderPermission: Permission? {
        switch self {
        case .sharedState, .sharedEvents: .read
        case .sharedActions, .sharedSync, .sharedSignals: .act
        case .sharedPresence: .presence
        default: nil
        }
    }

    /// The rule of a method; nil if the resource does not have the method.
    ///
    /// This table is the only place that says it. A preflight request carries no credentials, so `OPTIONS` is open.
    package func accessRule(for method: HTTPMethod) -> AccessRule? {
        switch (self, method) {
        case (_, .options): .open
        case (.index, .get), (.index, .head), (.openAPI, .get), (.openAPI, .head): .open
        case (.client, .get), (.client, .head): .open
        case (.liveness, .get), (.liveness, .head), (.readiness, .get), (.readiness, .head): .open
        case (.metrics, .get), (.metrics, .head): .open
        case (.stores, .get), (.stores, .head), (.store, .get), (.store, .head): .authenticated
        case (.sessions, .post), (.session, .put), (.forks, .post): .permission(.create)
        case (.sessions, .get), (.sessions, .head): .permission(.read)
        case (.session, .get), (.session, .head), (.state, .get), (.state, .head): .permission(.read)
        case (.actions, .get), (.actions, .head), (.events, .get): .permission(.read)
        case (.presence, .get), (.presence, .head): .permission(.presence)
        case (.actions, .post), (.sync, .post), (.signals, .post): .permission(.act)
        case (.session, .delete): .permission(.delete)
        case (.shares, .get), (.shares, .head), (.shares, .post), (.shares, .delete): .permission(.share)
        case (.share, .delete): .permission(.share)
        case (.sharedState, .get), (.sharedState, .head), (.sharedEvents, .get): .holder(.read)
        case (.sharedPresence, .get), (.sharedPresence, .head): .holder(.presence)
        case (.sharedActions, .post), (.sharedSync, .post), (.sharedSignals, .post): .holder(.act)
        case (.adminSessions, .get), (.adminSessions, .head): .operators
        case (.adminSession, .get), (.adminSession, .head), (.adminSession, .delete): .operators
        case (.adminState, .get), (.adminState, .head), (.adminActions, .get), (.adminActions, .head): .operators
        case (.adminEvents, .get): .operators
        default: nil
        }
    }
}
