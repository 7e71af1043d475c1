import Platform
package import Security
package import StoreHosting
package import Stores

// The questions for the rights of those who do not own the session.
extension Session {
    /// A question that takes longer, in nanoseconds, is a fault of the kind: nobody can use the session meanwhile.
    private static let slowAccess = 50_000_000

    /// Asks the state whether a visitor has a right, and calls `body` with the same state if it has.
    package func ask<Value>(
        _ visitor: Actor, for right: Permission, _ body: (borrowing StateView) -> Value
    ) -> Result<Value, SessionFailure> {
        var answer = Result<Value, SessionFailure>.failure(.forbidden(.session))
        store.inspect { state in
            let refusal = refusal(of: visitor, right, in: state)
            answer = refusal.map(Result.failure) ?? .success(body(state))
        }
        return answer
    }

    /// Why a visitor may not do something in a state; nil if it may. Whoever may not read learns only what is told of a session that
    /// there is not.
    func refusal(of visitor: Actor, _ right: Permission, in state: borrowing StateView) -> SessionFailure? {
        let rights = rights(of: visitor, in: state)
        if rights.contains(right.inState) { return nil }
        return .forbidden(rights.contains(.read) ? .state(lacks: right) : .session)
    }

    /// Why a visitor may not pass on some rights in a state; nil if it has them all.
    func refusal(of visitor: Actor, _ rights: Permissions, in state: borrowing StateView) -> SessionFailure? {
        for right in Permission.allCases where rights.contains(right) {
            if let refusal = refusal(of: visitor, right, in: state) { return refusal }
        }
        return nil
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

extension Permission {
    /// The right in the state of a session. A fork, a session that there is already, a document for operators, and the list of those who
    /// watch show its state.
    var inState: AccessRights { AccessRights(named: rawValue) ?? .read }
}
