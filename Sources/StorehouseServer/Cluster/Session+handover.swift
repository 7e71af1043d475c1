import Cluster
import HTTPServer
import Sessions
package import Sockets
import StoreHosting
import Threads

// Handovers to other nodes. What follows from the decisions is done by `SessionTransfer`.
extension Session: RequestObserver {
    /// - Parameter sender: the node that has forwarded the request; see ``SessionHandover/begin(from:limit:)``.
    func beginRequest(from sender: UInt16?) -> SessionHandover.Admission {
        transferState.begin(from: sender, limit: SessionTransfer.requestLimit)
    }

    package func requestEnded(on loop: any EventLoop) {
        guard let transfer = runtime.transfer, transferState.end() else { return }
        loop.execute { [self] in transfer.handOver(self) }
    }

    /// The node that has forwarded the newest requests.
    var forwarder: UInt16 { transferState.handover.node }

    /// Whether requests wait until the session is handed over, or stays.
    var isClosed: Bool { transferState.handover.isClosed }

    /// - Returns: whether requests have waited for those in progress.
    func giveUpTransfer() -> Bool { transferState.giveUp() }

    func abortTransfer() { transferState.abort() }

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
        return release()
    }

    /// Closes the store as the server drains, unless a request or an effect is in progress.
    ///
    /// - Returns: whether the session is now detached.
    func tryGiveBack() -> Bool {
        guard store.runningEffects.isEmpty, transferState.beginRelease() else { return false }
        if release() { return true }
        abortTransfer()
        return false
    }

    private func release() -> Bool {
        guard tryRelease() else { return false }
        transferState.leave()
        return true
    }
}

extension SessionRegistry {
    /// Detaches a session, so that another node can have it, unless it is in use.
    ///
    /// - Parameter forwarder: the number of the other node; nil for any.
    /// - Returns: whether it is now detached.
    func handOver(_ session: Session, to forwarder: UInt16?) -> Bool {
        release(session) { session in forwarder.map(session.tryHandOver) ?? session.tryGiveBack() }
    }
}
