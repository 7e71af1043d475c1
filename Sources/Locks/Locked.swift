public import Platform

/// A value that one thread at a time may touch.
///
/// A `pthread_mutex_t` beside the value, in one allocation. It is not recursive. `Synchronization.Mutex` would do the
/// same, but collapses under contention on Linux (Swift 6.3.1) and is opaque to ThreadSanitizer.
///
/// It is inlinable because it stands on hot paths: unspecialized, a generic access costs more than the lock.
public struct Locked<Value>: @unchecked Sendable {
    // Sendable although the buffer is shared: every access to the value goes through `withLock`.
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

    /// Runs `body` with the value, alone. `body` must not call back into the same lock.
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
    /// Takes the mutex; where another thread has it, gives way a few times before it goes to sleep.
    ///
    /// What is done under these locks takes less time than to put a thread to sleep and wake it, which the one that has the lock
    /// would have to do. With eight threads on one lock of two processors this lets three times as many through.
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
