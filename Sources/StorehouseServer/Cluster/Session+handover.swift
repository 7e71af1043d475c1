import Cluster
import HTTPServer
import Locks
package import Sockets
import StoreHosting

// Handovers to other nodes. What follows from the decisions is done by `Handovers`.
extension Session: RequestObserver {
    /// - Parameter sender: the node that has forwarded the request; see ``SessionHandover/begin(from:limit:)``.
    func beginRequest(from sender: UInt16?) -> SessionHandover.Admission {
        handover.begin(from: sender, limit: Handovers.requestLimit)
    }

    package func requestEnded(on loop: any EventLoop) {
        guard let transfers = runtime.transfers, handover.end() else { return }
        loop.execute { [self] in transfers.handOver(self) }
    }

    /// The node that has forwarded the newest requests.
    var forwarder: UInt16 { handover.value.node }

    /// Whether requests wait until the session is handed over, or stays.
    var isClosed: Bool { handover.value.isClosed }

    /// - Returns: whether requests have waited for those in progress.
    func giveUpHandover() -> Bool { handover.giveUp() }

    func stay() { handover.stay() }

    /// Whether another node could have the session if no request were in progress.
    func canFollow(_ forwarder: UInt16) -> Bool {
        existingEvents?.areAll(from: forwarder) != false && store.runningEffects.isEmpty
    }

    /// Closes the store, so that another node can have the session, unless it is in use. Its timers are in the journal. Streams
    /// through the other node get `closed`.
    ///
    /// - Returns: whether the session is now detached.
    func tryHandOver(to forwarder: UInt16) -> Bool {
        guard canFollow(forwarder) else { return false }
        return tryRelease()
    }

    /// Closes the store as the server drains, unless a request or an effect is in progress.
    ///
    /// - Returns: whether the session is now detached.
    func tryGiveBack() -> Bool {
        guard store.runningEffects.isEmpty, handover.beginRelease() else { return false }
        if tryRelease() { return true }
        stay()
        return false
    }

    private func tryRelease() -> Bool {
        guard transition({ $0.beginHibernation() }) else { return false }
        guard store.endIfQuiet(and: { isSettled }) else {
            transition { $0.cancelHibernation() }
            return false
        }
        guard detach("rotated") else { return false }
        handover.leave()
        return true
    }
}
