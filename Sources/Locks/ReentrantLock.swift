public import Platform

/// A value that one thread at a time may touch, and that its holder may come back to.
///
/// Who holds the lock may call out, and whoever is called on the same thread may take it again. So there is no exclusive
/// access to the whole value: each access to a part of it, through the pointer, must be over before anything is called that
/// may come back to that part.
public struct ReentrantLock<Value>: @unchecked Sendable {
    // Sendable although the buffer is shared: every access to the value goes through `withLock`.
    @usableFromInline
    let storage: ManagedBuffer<Value, pthread_mutex_t>

    @inlinable
    public init(_ value: sending Value) {
        storage = Locked<Value>.Storage.create(minimumCapacity: 1) { [value] _ in value }
        storage.withUnsafeMutablePointerToElements { mutex in
            mutex.initialize(to: pthread_mutex_t())
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
            pthread_mutex_init(mutex, &attributes)
            pthread_mutexattr_destroy(&attributes)
        }
    }

    /// Runs `body` with the place of the value, which must not leave it, alone but for what `body` itself calls.
    @inlinable
    @inline(__always)
    public func withLock<Result, Failure: Error>(
        _ body: (UnsafeMutablePointer<Value>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (value, mutex) = storage.withUnsafeMutablePointers { ($0, $1) }
        mutex.lock()
        defer { pthread_mutex_unlock(mutex) }
        return try body(value)
    }

    /// Runs `body` as `withLock` does. Does nothing, and does not wait, where another thread holds the lock.
    public func withLockIfAvailable(_ body: (UnsafeMutablePointer<Value>) -> Void) {
        let (value, mutex) = storage.withUnsafeMutablePointers { ($0, $1) }
        guard pthread_mutex_trylock(mutex) == 0 else { return }
        defer { pthread_mutex_unlock(mutex) }
        body(value)
    }
}
