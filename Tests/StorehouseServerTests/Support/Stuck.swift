import Dispatch
import JSON
import Journal
import Locks
import StoreHosting
import Stores

/// A journal whose `close` never completes.
final class StuckJournal: Journal {
    private let journal = MemoryJournal(keepCommits: 100)

    var outlivesProcess: Bool { journal.outlivesProcess }
    var isShared: Bool { journal.isShared }
    var epoch: Int? { journal.epoch }
    var isAvailable: Bool { journal.isAvailable }
    var sessionCount: Int { journal.sessionCount }
    var transactionCount: Int { journal.transactionCount }

    func create(_ session: SessionHeader) -> any SessionJournal { journal.create(session) }

    func load(_ id: String) async throws(JournalError) -> SessionLookup { try await journal.load(id) }

    func list(after id: String?, limit: Int) async throws(JournalError) -> [SessionSummary] {
        try await journal.list(after: id, limit: limit)
    }

    func personalSession(of owner: Subject, kind: String) async throws(JournalError) -> String? {
        try await journal.personalSession(of: owner, kind: kind)
    }

    func idleSessions(before moment: Int, limit: Int) async throws(JournalError) -> [String] {
        try await journal.idleSessions(before: moment, limit: limit)
    }

    func end(_ id: String, at moment: Int) { journal.end(id, at: moment) }

    func close() async { await Promise<Void>().value() }
}

/// Blocks the thread that runs it until it is released.
final class BlockingJob: Sendable {
    private let (start, hasStarted) = AsyncStream.makeStream(of: Void.self)
    private let end = DispatchSemaphore(value: 0)

    func run() {
        hasStarted.finish()
        end.wait()
        end.signal()
    }

    func started() async { for await _ in start {} }

    func release() { end.signal() }
}

/// A kind with an action that blocks its event loop.
enum BlockingAction: DeclaredAction, Equatable {
    case block

    static let catalogue = ActionSchema<BlockingAction>([
        ActionDeclaration("blocking/block", "Blocks until the test releases it.", .block)
    ])
}

struct BlockingReducer: Reducer {
    let job: BlockingJob

    func decide(_ action: BlockingAction, in state: FaultyState) -> Decision { .accept }

    func reduce(_ state: inout FaultyState, _ action: BlockingAction) { job.run() }
}

extension StoreKind {
    static func blocking(_ job: BlockingJob) -> StoreKind {
        .store("blocking", reducer: BlockingReducer(job: job), middleware: [])
    }
}
