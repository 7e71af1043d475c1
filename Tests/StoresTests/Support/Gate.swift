import Locks

/// A gate that tasks wait for. Cancellation does not open it.
final class Gate: Sendable {
    private let contents = Locked<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func open() {
        let waiting = contents.withLock { contents in
            contents.isOpen = true
            defer { contents.waiting = [] }
            return contents.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = contents.withLock { contents in
                if !contents.isOpen { contents.waiting.append(continuation) }
                return contents.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
