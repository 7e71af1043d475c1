package import StoreHosting
import Stores
import Synchronization

/// Brings the index of owners and members up to date once in each run, for sessions that an earlier release has written, or a program
/// whose kinds named other members.
///
/// Until it is done, lists look at the sessions themselves. A session that is loaded meanwhile is indexed then.
package final class MemberCheck: Sendable {
    private static let pageSize = 200

    /// Nil if there is nothing to do.
    private let journal: (any Journal)?
    private let registry: SessionRegistry
    private let kinds: [KindRuntime]
    private let done: Atomic<Bool>

    /// - Parameter journal: nil if nobody asks for lists.
    package init(_ journal: (any Journal)?, _ registry: SessionRegistry, _ kinds: [KindRuntime]) {
        let isNeeded = journal.map {
            $0.outlivesProcess && ($0.mayLackOwners || kinds.contains { $0.kind.hasMembers })
        }
        self.journal = isNeeded == true ? journal : nil
        self.registry = registry
        self.kinds = kinds
        done = Atomic(isNeeded != true)
    }

    /// Whether the index has all sessions.
    package var isDone: Bool { done.load(ordering: .acquiring) }

    /// Looks at all sessions, one after another, and rests in between for as long as that takes.
    package func run() async {
        guard let journal, !isDone else { return }
        var last: String?
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do throws(JournalError) {
                let page = try await journal.list(after: last, limit: Self.pageSize)
                for session in page { try await indexIfIntact(session, in: journal) }
                last = page.last?.header.id ?? last
                if page.count < Self.pageSize { return finish(journal) }
                try? await Task.sleep(for: ContinuousClock.now - start)
            } catch {
                // The storage does not answer. The page is looked at again.
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func finish(_ journal: any Journal) {
        if journal.mayLackOwners { journal.recordIndexedOwners() }
        done.store(true, ordering: .releasing)
    }

    /// A damaged session must not keep the others out of the index.
    private func indexIfIntact(_ session: SessionSummary, in journal: any Journal) async throws(JournalError) {
        do throws(JournalError) {
            try await index(session, in: journal)
        } catch {
            guard case .corrupt = error else { throw error }
        }
    }

    private func index(_ session: SessionSummary, in journal: any Journal) async throws(JournalError) {
        let header = session.header
        if let kind = kinds.named(header.kind), kind.kind.hasMembers, let id = SessionID(header.id.utf8) {
            // One in memory was indexed when it was loaded or created.
            if registry.resident(id) != nil { return }
            if let store = try await kind.storedState(of: id, in: journal) {
                return try await journal.index(store.members, of: header.id, at: store.revision)
            }
        }
        if header.owner != nil { try await journal.index(nil, of: header.id, at: session.revision) }
    }
}
