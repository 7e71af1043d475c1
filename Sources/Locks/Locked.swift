public import Platform

/// A value that is protected by a mutex, which is not recursive.
///
/// The value and its `pthread_mutex_t` share one allocation. `Synchronization.Mutex` is slow under contention on Linux
/// (Swift 6.3.1), and causes false ThreadSanitizer reports.
///
/// It is inlinable because hot paths use it: an unspecialized generic access costs more than the lock.
public struct Locked<Value>: @unchecked Sendable {
    // Sendable, because every access to the shared value goes through `withLock`.
    @usableFromInline
    final class Storage: ManagedBuffer<Value, pthread_mutex_t> {
        @inlinable
        deinit {
            withUnsafeMutablePointerToElements { mutex in
                _ = pthread_mutex_destroy(mutex)
            }
        }
    }

    @usableFromInline
    let storage: ManagedBuffer<Value, pthread_mutex_t>

    @inlinable
    public init(_ value: sending Value) {
        storage = Storage.create(minimumCapacity: 1) { [value] _ in value }
        storage.withUnsafeMutablePointerToElements { mutex in
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }
    }

    /// Calls `body` with exclusive access to the value. `body` must not use the same lock.
    @inlinable
    @inline(__always)
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let (value, mutex) = storage.withUnsafeMutablePointers { ($0, $1) }
        mutex.lock()
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}

extension UnsafeMutablePointer<pthread_mutex_t> {
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
