package import JSON

/// Something that credentials may allow, by the name that tokens and shares have for it.
package enum Permission: String, Sendable, CaseIterable {
    /// Create and fork sessions. The response shows the new session's state.
    case create
    /// Read the state, the action log and the event stream.
    case read
    /// Dispatch actions. The response shows the state.
    case act
    case delete
    /// Make and revoke shares.
    case share
    /// Use the resources of operators, of all sessions.
    case admin
    /// See who watches. Only shares have it: a token that may read may do this too.
    case presence

    /// The permissions that a token can have.
    package static let ofTokens = allCases.filter { $0 != .presence }
}

extension Permission {
    /// The permission with this name; nil if there is none.
    package init?(named name: Subject) {
        guard let found = Self.allCases.first(where: { Subject($0.rawValue) == name }) else { return nil }
        self = found
    }
}

/// A set of permissions.
package struct Permissions: Sendable, Hashable {
    private var bits: UInt8 = 0

    package init(_ permissions: some Sequence<Permission>) {
        for permission in permissions { bits |= permission.bit }
    }

    /// The permissions of a token without the claim `may`.
    package static let allButAdmin = Permissions(Permission.ofTokens.filter { $0 != .admin })

    package func contains(_ permission: Permission) -> Bool { bits & permission.bit != 0 }

    /// The names in the order of the declaration.
    package var names: [String] { Permission.allCases.filter(contains).map(\.rawValue) }
}

extension Permission {
    fileprivate var bit: UInt8 {
        switch self {
        case .create: 1
        case .read: 2
        case .act: 4
        case .delete: 8
        case .share: 16
        case .admin: 32
        case .presence: 64
        }
    }
}
