import Dispatch
import JSON
import Journal
import Locks
import StoreHosting
import Stores

/// A journal whose `close` never completes.
final class StuckJournal: WrappedJournal {
    let journal = MemoryJournal(keepCommits: 100)

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
