import Locks

/// The last actions that a session has refused. They are in memory only, and bounded.
package final class RefusedActions: Sendable {
    package static let maxCount = 100
    package static let maxBytes = 1 << 18

    private struct Contents {
        var actions: [RefusedAction] = []
        var byteCount = 0
    }

    // Guards the actions. Nothing is called while it is held.
    private let contents = Locked(Contents())

    package init() {}

    package func add(_ action: RefusedAction) {
        contents.withLock { contents in
            contents.actions.append(action)
            contents.byteCount += action.byteCount
            while contents.actions.count > Self.maxCount || contents.byteCount > Self.maxBytes {
                contents.byteCount -= contents.actions.removeFirst().byteCount
            }
        }
    }

    package var newestFirst: [RefusedAction] { contents.withLock { $0.actions.reversed() } }
}
