import StoreHosting
import Synchronization

/// Whether the server takes new work: it is not shutting down, its storage can be written, and it has memory left.
final class Availability: Sendable {
    let memory: MemoryLimit
    private let draining = Atomic(false)
    // Not the journal: each call would copy it.
    private let isStorageAvailable: @Sendable () -> Bool
    private let sharedTime: SharedTime?

    init(_ journal: (any Journal)?, _ memory: MemoryLimit) {
        sharedTime = journal?.sharedTime
        isStorageAvailable = if let journal { { journal.isAvailable } } else { { true } }
        self.memory = memory
    }

    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Refuses new work from now on.
    func drain() { draining.store(true, ordering: .relaxed) }

    /// Requires that the server may commit something new.
    func requireWritable() throws(SessionFailure) {
        try requireServing()
        try requireStorage()
    }

    /// Requires that the server may commit something new, and has memory for it.
    func requireRoom() throws(SessionFailure) {
        try requireWritable()
        try memory.requireRoom()
    }

    func requireServing() throws(SessionFailure) {
        guard isDraining else { return }
        throw .unavailable(.draining)
    }

    /// Requires that the server should get requests.
    func requireReady() throws(SessionFailure) {
        try requireWritable()
        guard let problem = sharedTime?.problem() else { return }
        throw .unavailable(.clock(problem))
    }

    func requireStorage() throws(SessionFailure) {
        guard isStorageAvailable() else { throw .unavailable(.storage(.unavailable(""))) }
    }
}
