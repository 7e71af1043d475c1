import Locks
import Sockets
import Threads

/// Runs `body` with a loop, and stops the loop.
func withLoop(
    _ implementation: LoopImplementation, _ body: (any EventLoop) async throws -> Void
) async throws {
    let loop = try implementation.makeLoop(label: "test")
    do {
        try await body(loop)
    } catch {
        await loop.stop()
        throw error
    }
    await loop.stop()
}

extension EventLoop {
    /// Runs a job on the loop and waits for its answer.
    func run<Answer: Sendable>(_ job: @escaping @Sendable () -> Answer) async -> Answer {
        await Promise.value { done in execute { done(job()) } }
    }

    /// Waits for that many turns of the loop.
    func turns(_ count: Int) async {
        for _ in 0..<count {
            await run {}
        }
    }
}
