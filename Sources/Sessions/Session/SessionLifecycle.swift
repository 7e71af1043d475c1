import Synchronization

/// The states of a session in memory, and the changes between them.
///
///     resident ⇄ hibernating → detached
///         └──────────┴──────→ ended
///
/// A detached session continues from its journal, in this process or in another. An ended one never continues.
package enum SessionLifecycle: UInt8, AtomicRepresentable, Sendable {
    case resident
    /// Its store is being closed, unless it turns out to be in use.
    case hibernating
    case detached
    case ended

    /// The next step of a request to end the session.
    package enum EndInstruction: Equatable, Sendable {
        /// End the store, the journal and the streams.
        case end
        /// Another request ends it too, and may not have come to the journal yet.
        case alreadyEnded
        /// Look the session up again and end what is found: this object does not write to the journal any more.
        case lookUpAgain
    }

    /// - Returns: whether the caller may now try to close the store.
    package mutating func beginHibernation() -> Bool {
        guard self == .resident else { return false }
        self = .hibernating
        return true
    }

    /// Takes back ``beginHibernation()``, since the session is in use.
    package mutating func cancelHibernation() {
        if self == .hibernating { self = .resident }
    }

    /// - Returns: whether this call detached the session.
    package mutating func detach() -> Bool {
        guard self == .resident || self == .hibernating else { return false }
        self = .detached
        return true
    }

    package mutating func end() -> EndInstruction {
        switch self {
        case .resident, .hibernating:
            self = .ended
            return .end
        case .ended: return .alreadyEnded
        case .detached: return .lookUpAgain
        }
    }

    /// Whether the session continues elsewhere although its store takes no more actions here.
    package var continuesElsewhere: Bool { self == .hibernating || self == .detached }
}
