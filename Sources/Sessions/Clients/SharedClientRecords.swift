import Locks

extension ClientRecords {
    /// The records of a session, for any thread.
    package final class Shared: Sendable {
        private struct Contents {
            var records: ClientRecords
            /// The requests that wait for their turn, by their tickets.
            var waiting: [Int: Promise<Bool>] = [:]
        }

        // Guards the records and the turns. Taken inside the store, and while the streams of the session are locked; nothing is
        // called while it is held.
        private let contents: Locked<Contents>

        package init(_ records: ClientRecords) { contents = Locked(Contents(records: records)) }

        package func withRecords<Result>(_ body: (inout ClientRecords) -> Result) -> Result {
            contents.withLock { body(&$0.records) }
        }

        /// Whether a request of any client runs.
        var isBusy: Bool { contents.withLock { $0.records.turns.isBusy } }
    }
}

// Turns.
extension ClientRecords.Shared {
    enum Turn {
        case begins
        /// It begins once ``ClientRecords/Shared/wait(_:)`` has returned true.
        case waits(Wait)
        case tooMany
    }

    /// The wait of a request for its turn.
    struct Wait: Sendable {
        fileprivate let client: ClientKey
        fileprivate let ticket: Int
        fileprivate let hasTurn: Promise<Bool>
    }

    /// The turn of a request begins, or its wait for it.
    func begin(_ client: ClientKey) -> Turn {
        contents.withLock { contents in
            switch contents.records.turns.begin(client) {
            case .begins: return .begins
            case .waits(let ticket):
                let hasTurn = Promise<Bool>()
                contents.waiting[ticket] = hasTurn
                return .waits(Wait(client: client, ticket: ticket, hasTurn: hasTurn))
            case .tooMany: return .tooMany
            }
        }
    }

    /// - Returns: whether the turn begins; false if the task was cancelled before, because its client has left.
    func wait(_ wait: Wait) async -> Bool {
        await withTaskCancellationHandler {
            await wait.hasTurn.value()
        } onCancel: {
            let hasLeft = contents.withLock { contents in
                contents.waiting[wait.ticket] = nil
                return contents.records.turns.leave(wait.client, ticket: wait.ticket)
            }
            if hasLeft { wait.hasTurn.fulfill(false) }
        }
    }

    /// The turn of the running request ends, and that of the next one begins.
    func end(_ client: ClientKey) {
        let next = contents.withLock { contents in
            contents.records.turns.end(client).flatMap { contents.waiting.removeValue(forKey: $0) }
        }
        next?.fulfill(true)
    }
}
