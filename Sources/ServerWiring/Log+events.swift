import Journal
import Observability
import RemoteServices
import StoreHosting
import Upstream

// Reports of storage and remote services become log lines and metrics.
extension Log {
    func write(_ event: StorageEvent) {
        switch event {
        case .upgrading(let old, let new):
            info("upgrading the storage file", [.init("from", old), .init("to", new)])
        case .failed(let detail):
            error(
                "storage cannot be written; check that storage.path is writable and has space",
                [.init("detail", detail)])
        case .replaced(let detail): error(StorageEvent.replacement, [.init("detail", detail)])
        case .overwritten(let detail): error(StorageEvent.overwriting, [.init("detail", detail)])
        case .disconnected(let detail):
            error("Redis cannot be used; commits wait or are refused until it can be used", [.init("detail", detail)])
        case .lostCommits: error("Redis has lost commits that were acknowledged, or may have; event ids change")
        case .refused(let detail): error("Redis must not be used by this process", [.init("detail", detail)])
        case .addressTaken(let address):
            error(
                "another node that is alive has the same cluster.address; give each its own",
                [.init("address", address)])
        case .clockDiffers(let detail):
            error(
                "the clocks of this node and of Redis differ; synchronize both: until then this node is not ready, and deletes nothing "
                    + "because of its age",
                [.init("detail", detail)])
        case .clockAgrees: warning("the clocks of this node and of Redis agree again")
        case .recovered: warning("storage can be written again")
        case .damaged(let session, let detail):
            error(
                "the rows of a session are damaged; it cannot be used",
                [.init("session", Fingerprint.of(session)), .init("detail", detail)])
        }
    }

    /// Writes a line about a remote call, without its address and its body.
    func write(_ event: UpstreamEvent) {
        switch event {
        case .attempt(let upstream, let method, let number, let outcome, let duration):
            let fields = [
                LogField("upstream", upstream), .init("method", method), .init("attempt", number),
                .init("seconds", duration),
            ]
            // A failed call is a line of its effect.
            switch outcome {
            case .answered(let status): debug("upstream call", fields + [.init("status", status)])
            case .failed(let code, let library):
                let cause = library.map { [LogField("curl", $0)] } ?? []
                debug("upstream call failed", fields + [.init("code", code.rawValue)] + cause)
            }
        case .trustReplaced(let upstream):
            info("certificates were replaced, and are read again", [.init("upstream", upstream)])
        case .trustUnusable(let upstream, let reason):
            warning(
                "replaced certificates cannot be used; the old ones stay",
                [.init("upstream", upstream), .init("detail", reason)])
        case .circuit(let upstream, let circuit):
            let fields = [LogField("upstream", upstream), .init("circuit", circuit.rawValue)]
            circuit == .open ? warning("circuit", fields) : info("circuit", fields)
        }
    }
}
