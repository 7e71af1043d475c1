public import Platform

#if canImport(Darwin)
    @usableFromInline
    typealias Mutex = os_unfair_lock_s
#else
    @usableFromInline
    typealias Mutex = pthread_mutex_t
#endif

/// A value that is protected by a mutex, which is not recursive.
///
/// The value and its mutex share one allocation. `Synchronization.Mutex` needs macOS 15, iOS 18 or visionOS 2. On Linux it is slow
/// under contention (Swift 6.3.1), and causes false ThreadSanitizer reports.
///
/// It is inlinable because hot paths use it: an unspecialized generic access costs more than the lock.
///
/// A function belongs into a structure: each access to a bare one, as a value or optional, would leave it wrapped once more, until a
/// call of it overflows the stack (Swift 6.3.1).
@usableFromInline
package struct Locked<Value>: @unchecked Sendable {
    // Sendable, because every access to the shared value goes through `withLock`.
    @usableFromInline
    final class Storage: ManagedBuffer<Value, Mutex> {
        @inlinable
        deinit { withUnsafeMutablePointerToElements { $0.end() } }
    }

    @usableFromInline
    let storage: ManagedBuffer<Value, Mutex>

    @inlinable
    package init(_ value: sending Value) {
        storage = Storage.create(minimumCapacity: 1) { [value] _ in value }
        storage.withUnsafeMutablePointerToElements { $0.begin() }
    }

    /// Calls `body` with exclusive access to the value. `body` must not use the same lock.
    @inlinable
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let (value, mutex) = storage.withUnsafeMutablePointers { ($0, $1) }
        mutex.lock()
        defer { mutex.unlock() }
        return try body(&value.pointee)
    }
}

#if canImport(Darwin)
    extension UnsafeMutablePointer<os_unfair_lock_s> {
        @inlinable
        func begin() { initialize(to: os_unfair_lock_s()) }

        @inlinable
        func end() { deinitialize(count: 1) }

        @inlinable
        @inline(__always)
        func lock() { os_unfair_lock_lock(self) }

        @inlinable
        @inline(__always)
        func unlock() { os_unfair_lock_unlock(self) }
    }
#endif

extension UnsafeMutablePointer<pthread_mutex_t> {
    @inlinable
    func begin() {
        initialize(to: pthread_mutex_t())
        pthread_mutex_init(self, nil)
    }

    @inlinable
    func end() { pthread_mutex_destroy(self) }

    @inlinable
    @inline(__always)
    func unlock() { pthread_mutex_unlock(self) }

    /// Locks the mutex. Yields a few times before it sleeps.
    ///
    /// The work under these locks is shorter than putting a thread to sleep and waking it. With eight threads on one
    /// lock and two processors, this triples the throughput.
    @inlinable
    @inline(__always)
    func lock() {
        if pthread_mutex_trylock(self) != 0 { wait() }
    }

    @usableFromInline
    @inline(never)
    func wait() {
        for _ in 0..<10 {
            sched_yield()
            if pthread_mutex_trylock(self) == 0 { return }
        }
        pthread_mutex_lock(self)
    }
}

/// A value that is protected by a recursive mutex.
///
/// The holder of the lock may call out, and the called code may take the lock again on the same thread. So `body` gets
/// a pointer and has no exclusive access to the whole value: each access to a part must end before a call that may
/// access the same part.
@usableFromInline
package struct ReentrantLock<Value>: @unchecked Sendable {
    // Sendable, because every access to the shared value goes through `withLock`.
    @usableFromInline
    final class Storage: ManagedBuffer<Value, pthread_mutex_t> {
        @inlinable
        deinit { withUnsafeMutablePointerToElements { $0.end() } }
    }

    @usableFromInline
    let storage: ManagedBuffer<Value, pthread_mutex_t>

    @inlinable
    package init(_ value: sending Value) {
        storage = Storage.create(minimumCapacity: 1) { [value] _ in value }
        storage.withUnsafeMutablePointerToElements { mutex in
            mutex.initialize(to: pthread_mutex_t())
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
            pthread_mutex_init(mutex, &attributes)
            pthread_mutexattr_destroy(&attributes)
        }
    }

    /// Calls `body` with a pointer to the value, which is valid during the call. No other thread has access meanwhile.
    @inlinable
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (UnsafeMutablePointer<Value>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (value, mutex) = storage.withUnsafeMutablePointers { ($0, $1) }
        mutex.lock()
        defer { mutex.unlock() }
        return try body(value)
    }

    /// Runs `body` as `withLock` does. If another thread holds the lock, it returns at once and does nothing.
    package func withLockIfAvailable(_ body: (UnsafeMutablePointer<Value>) -> Void) {
        let (value, mutex) = storage.withUnsafeMutablePointers { ($0, $1) }
        guard pthread_mutex_trylock(mutex) == 0 else { return }
        defer { mutex.unlock() }
        body(value)
    }
}
