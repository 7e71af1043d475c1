import Locks

/// Lets tasks go on together.
final class Barrier: Sendable {
    private let missing: Locked<Int>
    private let isOpen = Promise<Void>()

    init(_ count: Int) { missing = Locked(count) }

    func pass() async {
        let left = missing.withLock { missing in
            missing -= 1
            return missing
        }
        if left == 0 { isOpen.fulfill(()) }
        await isOpen.value()
    }
}
