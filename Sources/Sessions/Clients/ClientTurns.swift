/// One request of each client runs at a time; the next ones wait in their order.
///
/// A request that waits must not be run beside the first: proxies repeat requests, and both would decide the same numbers.
package struct ClientTurns: Sendable {
    package enum Turn: Sendable, Equatable {
        case begins
        /// The ticket is called by ``ClientTurns/end(_:)``.
        case waits(ticket: Int)
        case tooMany
    }

    /// How many requests of a client may wait.
    package static let maxWaiting = 4

    /// The tickets that wait for each running request, in order.
    private var waiting: [ClientKey: [Int]] = [:]
    private var lastTicket = 0

    package init() {}

    /// Whether any request runs.
    package var isBusy: Bool { !waiting.isEmpty }

    func isRunning(_ client: ClientKey) -> Bool { waiting[client] != nil }

    package mutating func begin(_ client: ClientKey) -> Turn {
        guard let tickets = waiting[client] else {
            waiting[client] = []
            return .begins
        }
        guard tickets.count < Self.maxWaiting else { return .tooMany }
        lastTicket += 1
        waiting[client]?.append(lastTicket)
        return .waits(ticket: lastTicket)
    }

    /// The running request is done.
    ///
    /// - Returns: the ticket of the request that runs now; nil if none waits.
    package mutating func end(_ client: ClientKey) -> Int? {
        guard waiting[client]?.isEmpty == false else {
            waiting[client] = nil
            return nil
        }
        return waiting[client]?.removeFirst()
    }

    /// A request waits no longer.
    ///
    /// - Returns: whether it did. If not, its ticket was called, and it must end its turn.
    package mutating func leave(_ client: ClientKey, ticket: Int) -> Bool {
        guard let index = waiting[client]?.firstIndex(of: ticket) else { return false }
        waiting[client]?.remove(at: index)
        return true
    }
}
