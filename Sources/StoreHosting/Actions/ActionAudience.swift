public import Stores

/// The senders that an ``Action`` accepts. Middleware and effects may send every action.
public enum ActionAudience: Sendable, Hashable {
    /// All clients.
    case client
    /// Clients whose actor has this role; others get 403 `role-required`. It has 1 to 64 characters.
    case role(String)
    /// No client: one that sends the action gets 403 `internal-action`.
    case `internal`

    /// As `GET /stores` shows it.
    package var text: String {
        switch self {
        case .client: "client"
        case .role(let role): "role:" + role
        case .internal: "internal"
        }
    }
}

extension ActionDeclaration {
    /// Refuses the action of a client who may not send it.
    ///
    /// - Parameter actor: the client; nil for an anonymous one.
    @usableFromInline
    func admit(_ actor: Actor?) throws(ActionDecodingError) {
        switch audience {
        case .client: break
        case .role(let role): guard actor?.has(role) == true else { throw .roleRequired(type, role: role) }
        case .internal: throw .internalAction(type)
        }
        guard actor?.id.isEmpty ?? true, filled.contains(where: { $0.filler == .user }) else { return }
        throw .identityRequired(type)
    }
}
