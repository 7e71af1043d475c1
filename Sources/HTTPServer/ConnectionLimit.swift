import Synchronization

/// How many connections a server may have.
///
/// Beyond the limit, some more are accepted provisionally. Each of them stays only if its first request was forwarded by another
/// server, or if there is room by then. So clients that hold all connections do not keep the other servers out. Clients that send
/// nothing on provisional connections do not, either: a new one takes the place of the oldest.
package struct ConnectionLimit: Sendable, Equatable {
    /// How many connections of a loop may be provisional: twice as many as a loop accepts in one turn. So the next turn reads what a
    /// connection has sent before others take its place.
    package static var provisionalConnections: Int { 128 }

    /// How many connections there may be.
    package var connections = Int.max
    /// How many more there may be for other servers.
    package var reserve = 0

    package init() {}

    /// - Parameter reserve: for servers that others forward requests to.
    package init(_ connections: Int, reserve: Int = 0) {
        self.connections = connections
        self.reserve = reserve
    }

    /// What becomes of a new connection.
    package enum Admission: Sendable {
        case admitted
        case provisional
        /// It is provisional, and the oldest provisional one of its loop is closed for it.
        case insteadOfOldest
        /// It is not accepted yet.
        case full
    }

    /// - Parameters:
    ///   - admitted: how many connections there are that are not provisional.
    ///   - provisional: how many provisional ones the loop has.
    package func admission(admitted: Int, provisional: Int) -> Admission {
        if admitted < connections { return .admitted }
        // With a full reserve, too: it is better to refuse the request of another server than to let it wait.
        if reserve == 0 { return .full }
        return provisional < Self.provisionalConnections ? .provisional : .insteadOfOldest
    }

    /// Whether a provisional connection may stay, with its first request.
    ///
    /// - Parameter isForwarded: whether another server has forwarded the request.
    package func admitsRequest(isForwarded: Bool, admitted: Int) -> Bool {
        admitted < connections || isForwarded && admitted - connections < reserve
    }
}

/// How many connections all loops have together, without the provisional ones.
package final class ConnectionCount: Sendable {
    let admitted = Atomic(0)
}
