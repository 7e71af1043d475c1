import Locks

/// Admits few reads of stored commits and of lists at once: each holds all that it has read until its bytes are made, and the storage
/// does one after another.
package final class StorageReads: Sendable {
    /// Is held by a read until it is done.
    package final class Turn: Sendable {
        private let reads: StorageReads

        fileprivate init(_ reads: StorageReads) { self.reads = reads }

        deinit { reads.end() }
    }

    private struct Contents {
        var turns: WorkTurns<WorkOwner>
        /// The tasks that wait. Each gets whether it may begin.
        var waiting: [WorkTurns<WorkOwner>.Place: Promise<Bool>] = [:]
    }

    // Guards the turns. Nothing is called while it is held.
    private let contents: Locked<Contents>

    package init(_ limits: WorkTurns<WorkOwner>.Limits = .init()) {
        contents = Locked(Contents(turns: WorkTurns(limits)))
    }

    /// Waits until a read of an owner may begin. A task that is cancelled waits no longer.
    ///
    /// - Throws: ``SessionFailure/Unavailable/reads`` if too many of the owner wait.
    package func turn(of owner: WorkOwner) async throws(SessionFailure) -> Turn {
        let begins = Promise<Bool>()
        let admission = contents.withLock { contents in
            let admission = contents.turns.admit(owner)
            if case .waits(let place) = admission { contents.waiting[place] = begins }
            return admission
        }
        switch admission {
        case .begins: return Turn(self)
        case .overloaded: throw .unavailable(.reads)
        case .waits(let place):
            let mayBegin = await withTaskCancellationHandler {
                await begins.value()
            } onCancel: {
                leave(place)
            }
            guard mayBegin else { throw .unavailable(.reads) }
            return Turn(self)
        }
    }

    private func leave(_ place: WorkTurns<WorkOwner>.Place) {
        let begins = contents.withLock { contents in
            contents.turns.leave(place)
            return contents.waiting.removeValue(forKey: place)
        }
        begins?.fulfill(false)
    }

    private func end() {
        let begins = contents.withLock { contents in
            contents.turns.end().flatMap { contents.waiting.removeValue(forKey: $0) }
        }
        begins?.fulfill(true)
    }
}
