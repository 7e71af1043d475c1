import Platform
package import Security
package import StoreHosting
package import Stores

// The questions for the rights of those who do not own the session.
extension Session {
    /// A question that takes longer, in nanoseconds, is a fault of the kind: nobody can use the session meanwhile.
    private static let slowAccess = 50_000_000

    /// Asks the state once whether a visitor has a right, and others that it passes on, and calls `body` with the same state if it has
    /// them all.
    package func ask<Value>(
        _ visitor: Actor, for right: Permission, passingOn others: Permissions? = nil,
        _ body: (borrowing StateView) -> Value
    ) -> Result<Value, SessionFailure> {
        var answer = Result<Value, SessionFailure>.failure(.forbidden(.session))
        store.inspect { state in
            let rights = rights(of: visitor, in: state)
            let refusal = rights.refusal(of: right) ?? others.flatMap(rights.refusal(of:))
            answer = refusal.map(Result.failure) ?? .success(body(state))
        }
        return answer
    }

    /// Why a visitor may not do something in a state; nil if it may.
    func refusal(of visitor: Actor, _ right: Permission, in state: borrowing StateView) -> SessionFailure? {
        rights(of: visitor, in: state).refusal(of: right)
    }

    /// Whether a visitor may read a state.
    func letsRead(_ visitor: Actor, in state: borrowing StateView) -> Bool {
        refusal(of: visitor, .read, in: state) == nil
    }

    /// Whether the permits that a visitor has made can be used in a state.
    func keepsPermits(of visitor: Actor, in state: borrowing StateView) -> Bool {
        rights(of: visitor, in: state).contains(.ofMakers)
    }

    /// From now on each commit, also without streams, asks for the visitors who have made permits. The store retains the session from
    /// then on: ``end()`` and ``detach()`` break this cycle.
    func watchMakers() {
        if permits.hasMakers { store.attach(self) }
    }

    private func rights(of visitor: Actor, in state: borrowing StateView) -> AccessRights {
        let start = MonotonicInstant.current
        let rights = state.rights(of: visitor)
        let time = start.nanoseconds(to: .current)
        if time > Self.slowAccess { runtime.accessWasSlow(nanoseconds: time, in: id.fingerprint) }
        return rights
    }
}

extension AccessRights {
    /// The refusal of a request that needs a right; nil if it is among these rights. Without the right to read, the refusal is the
    /// same as for a session that does not exist.
    fileprivate func refusal(of right: Permission) -> SessionFailure? {
        if contains(right.inState) { return nil }
        return .forbidden(contains(.read) ? .state(lacks: right) : .session)
    }

    /// The refusal of the first right that is not among these; nil if all are.
    fileprivate func refusal(of rights: Permissions) -> SessionFailure? {
        Permission.allCases.lazy.filter(rights.contains).compactMap { refusal(of: $0) }.first
    }
}

extension Permission {
    /// The right in the state of a session. A fork, a session that there is already, a document for operators, and the list of those who
    /// watch show its state.
    var inState: AccessRights { AccessRights(named: rawValue) ?? .read }
}
