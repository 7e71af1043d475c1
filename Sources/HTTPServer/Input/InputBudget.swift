import Sockets
import Synchronization

/// Counts the bytes that connections hold of requests which have not arrived completely, of requests that wait behind another one,
/// and of large bodies that are being handled.
///
/// A connection counts only what stays after its bytes were looked at. A request that arrives at once, with a short body, never
/// changes the count.
package final class InputBudget: Sendable {
    /// A request up to this length is small: it finds room even if nothing can be freed for larger ones.
    package static let smallRequest = 1024
    /// A body of up to this length is not counted while it is handled: the handler needs about as much for any request.
    package static let uncountedBody = 4096

    /// Whether the process has memory for a request of so many bytes.
    let hasMemory: @Sendable (_ byteCount: Int) -> Bool
    private let held: ByteBudget
    private let cut = Atomic(0)

    /// - Parameters:
    ///   - limit: how many bytes connections may hold.
    ///   - hasMemory: whether the process has memory for a request of so many bytes. Any thread calls it; it must be quick.
    package init(limit: Int, hasMemory: @escaping @Sendable (_ byteCount: Int) -> Bool = { _ in true }) {
        held = ByteBudget(limit: limit)
        self.hasMemory = hasMemory
    }

    /// How many bytes connections may hold.
    package var limit: Int { held.limit }

    /// Calls `body` on any thread, and often, while more than the limit is held. It must be quick.
    package func whenExceeded(_ body: @escaping @Sendable () -> Void) { held.whenExceeded(body) }

    /// How many bytes connections hold.
    package var heldBytes: Int { held.count }

    /// How many requests were cut to make room.
    package var cutRequests: Int { cut.load(ordering: .relaxed) }

    func countCut(_ count: Int) { cut.add(count, ordering: .relaxed) }

    /// The most bytes that were held since the last call.
    package func takePeak() -> Int { held.takePeak() }

    /// Connections hold more bytes, or fewer.
    package func add(_ byteCount: Int) { held.add(byteCount) }
}
