import JSON
import Locks
package import Observability
package import StoreHosting
import Stores

/// Reads some stored sessions of each kind with the definitions of this program, and logs which of them do not fit.
///
/// So an operator learns at the start of a new release that it lacks a migration, and not from the users whose sessions cannot be
/// loaded. The server serves meanwhile.
package struct StoredStateCheck: Sendable {
    /// How many sessions of each kind are read.
    package static let sampleSize = 20

    private let journal: any Journal
    private let kinds: [KindRuntime]
    private let log: Log

    package init(_ journal: any Journal, _ kinds: [KindRuntime], _ log: Log) {
        self.journal = journal
        self.kinds = kinds
        self.log = log
    }

    /// Reads a sample. If the storage cannot be read, requests find it out.
    package func run() async {
        guard let states = try? await journal.sample(Self.sampleSize) else { return }
        for kind in kinds {
            let own = states.filter { Subject($0.header.kind) == Subject(kind.kind.name) }
            var misfits: [(state: StoredState, why: StoredState.Misfit)] = []
            for state in own {
                if Task.isCancelled { return }
                if let why = state.misfit(kind.kind, kind.sealer) { misfits.append((state, why)) }
            }
            if let first = misfits.first {
                write(kind.kind.name, misfits.count, of: own.count, first.state, first.why)
            }
        }
    }

    /// One line for each kind, however many sessions do not fit.
    private func write(
        _ kind: String, _ count: Int, of total: Int, _ example: StoredState, _ why: StoredState.Misfit
    ) {
        let remedy = why.isOfNewerProgram ? "run the newer program, or restore a backup" : "add a migration"
        log.error(
            "stored sessions do not fit the definition of their store, and cannot be loaded; \(remedy)",
            [
                .init("store", kind), .init("sessions", "\(count) of \(total) that were read"),
                .init("session", Fingerprint.of(example.header.id)), .init("revision", example.revision),
                .init("detail", why.detail),
            ])
    }
}
