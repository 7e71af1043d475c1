import Locks

/// Lets requests that may create the session of the same id pass one after another, so that only the first one creates it.
package final class SessionReservations: Sendable {
    /// One request at a time has it. The next one follows when nothing holds it any more, whatever came of the request.
    package final class Reservation: Sendable {
        private let id: SessionID
        private let owner: SessionReservations

        fileprivate init(_ id: SessionID, _ owner: SessionReservations) {
            self.id = id
            self.owner = owner
        }

        deinit { owner.release(id) }
    }

    // Guards the requests that wait, by the ids that are reserved. Nothing is called while it is held.
    private let waiting: Locked<[SessionID: [Promise<Reservation>]]> = Locked([:])

    package init() {}

    /// Waits until no other request has a reservation of the id.
    package func reserve(_ id: SessionID) async -> Reservation {
        let turn: Promise<Reservation>? = waiting.withLock { waiting in
            guard waiting[id] != nil else {
                waiting[id] = []
                return nil
            }
            let turn = Promise<Reservation>()
            waiting[id]?.append(turn)
            return turn
        }
        return await turn?.value() ?? Reservation(id, self)
    }

    private func release(_ id: SessionID) {
        let next: Promise<Reservation>? = waiting.withLock { waiting in
            guard let first = waiting[id]?.first else {
                waiting[id] = nil
                return nil
            }
            waiting[id]?.removeFirst()
            return first
        }
        next?.fulfill(Reservation(id, self))
    }
}
