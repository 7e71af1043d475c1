import Dispatch
import Locks
import Synchronization
import Testing
import Threads

@Suite struct LazyReferenceTests {
    private final class Counted: Sendable {
        private static let count = Atomic(0)
        static var alive: Int { count.load(ordering: .relaxed) }

        init() { Self.count.add(1, ordering: .relaxed) }

        deinit { Self.count.subtract(1, ordering: .relaxed) }
    }

    @Test func theObjectIsMadeOnce() {
        let reference = LazyReference<Counted>()
        #expect(reference.load() == nil)
        let object = reference.load(orStore: Counted())
        #expect(reference.load() === object)
        #expect(reference.load(orStore: Counted()) === object)
        #expect(reference.storeIfNil(Counted()) === object)
        #expect(Counted.alive == 1)
    }

    /// All threads have the same object, and the others that were made are released.
    @Test func threadsAgree() {
        final class Shared: Sendable { let reference = LazyReference<Promise<Int>>() }
        let shared = Shared()
        let found = Locked<Set<ObjectIdentifier>>([])
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            let object = shared.reference.load(orStore: Promise<Int>())
            found.withLock { _ = $0.insert(ObjectIdentifier(object)) }
        }
        #expect(found.withLock { $0.count } == 1)
    }
}
