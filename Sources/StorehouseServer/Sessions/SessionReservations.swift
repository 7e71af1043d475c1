import Locks

/// Lets requests that may create the session of the same id pass one after another, so that only the first one creates it.
final class SessionReservations: Sendable {
    typealias Body = @Sendable (Reservation) -> Void

    /// One request at a time has it. The next one follows when nothing holds it any more, whatever came of the request.
    final class Reservation: Sendable {
        private let id: SessionID
        private let owner: SessionReservations

        fileprivate init(_ id: SessionID, _ owner: SessionReservations) {
            self.id = id
            self.owner = owner
        }

        deinit { owner.release(id) }
    }

    // Guards the requests that wait, by the ids that are reserved. Nothing is called while it is held.
    private let waiting: Locked<[SessionID: [Body]]> = Locked([:])

    /// Calls `body` when no other request has a reservation of the id: at once, or on any thread. It must not go on with its
    /// request before it returns, because it may be called by the request before.
    private func reserve(_ id: SessionID, _ body: @escaping Body) {
        let isFree = waiting.withLock { waiting in
            guard waiting[id] != nil else {
                waiting[id] = []
                return true
            }
            waiting[id]?.append(body)
            return false
        }
        if isFree { body(Reservation(id, self)) }
    }

    /// Waits until no other request has a reservation of the id.
    func reserve(_ id: SessionID) async -> Reservation { await Promise.value { reserve(id, $0) } }

    private func release(_ id: SessionID) {
        let next: Body? = waiting.withLock { waiting in
            guard let first = waiting[id]?.first else {
                waiting[id] = nil
                return nil
            }
            waiting[id]?.removeFirst()
            return first
        }
        next?(Reservation(id, self))
    }
}
