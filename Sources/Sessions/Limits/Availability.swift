package import StoreHosting
import Synchronization

/// Whether the server takes new work: it is not shutting down, its storage can be written, and it has memory left.
package final class Availability: Sendable {
    package let memory: MemoryLimit
    private let draining = Atomic(false)
    // Not the journal: each call would copy it.
    private let isStorageAvailable: @Sendable () -> Bool
    private let sharedTime: SharedTime?

    package init(_ journal: (any Journal)?, _ memory: MemoryLimit) {
        sharedTime = journal?.sharedTime
        isStorageAvailable = if let journal { { journal.isAvailable } } else { { true } }
        self.memory = memory
    }

    package var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Refuses new work from now on.
    package func drain() { draining.store(true, ordering: .relaxed) }

    /// The part of the server that a request needs.
    package enum Need {
        case nothing
        /// The server is not shutting down.
        case serving
        /// The storage can be written.
        case storage
        /// Both.
        case write
        /// Both, and memory for an action.
        case commit
        /// Both, and memory for a session.
        case room
    }

    /// Requires what a request needs.
    ///
    /// - Parameter byteCount: the length of its body.
    package func require(_ need: Need, forBodyOf byteCount: Int) throws(SessionFailure) {
        switch need {
        case .nothing: break
        case .serving: try requireServing()
        case .storage: try requireStorage()
        case .write: try requireWritable()
        case .commit:
            try requireWritable()
            try memory.requireRoom(forBodyOf: byteCount)
        case .room: try requireRoom()
        }
    }

    /// Requires that the server may commit something new.
    private func requireWritable() throws(SessionFailure) {
        try requireServing()
        try requireStorage()
    }

    /// Requires that the server may commit something new, and has memory for it.
    package func requireRoom() throws(SessionFailure) {
        try requireWritable()
        try memory.requireRoom()
    }

    private func requireServing() throws(SessionFailure) {
        guard isDraining else { return }
        throw .unavailable(.draining)
    }

    /// Requires that the server should get requests.
    package func requireReady() throws(SessionFailure) {
        try requireWritable()
        guard let problem = sharedTime?.problem() else { return }
        throw .unavailable(.clock(problem))
    }

    private func requireStorage() throws(SessionFailure) {
        guard isStorageAvailable() else { throw .unavailable(.storage(.unavailable(""))) }
    }
}
