import Synchronization

/// How many connections a server may have.
///
/// Beyond the limit, some more are accepted provisionally. Each of them stays only if its first request shows that the reserve is for
/// it, or if there is room by then. So clients that hold all connections keep neither other servers out, nor probes, which are
/// answered in any case. Clients that send nothing on provisional connections do not, either: a new one takes the place of the oldest.
///
/// The other requests are refused by a server that has a reserve for other servers. A server without one holds them back until
/// there is room.
package struct ConnectionLimit: Sendable, Equatable {
    /// How many connections of a loop may be provisional: twice as many as a loop accepts in one turn. So the next turn reads what a
    /// connection has sent before others take its place.
    package static var maxProvisional: Int { 128 }

    /// How many connections there may be.
    package var connections = Int.max
    /// How many more there may be for other servers.
    package var reserve = 0
    /// How many connections of a loop may be provisional; 0 if those beyond the limit are not accepted.
    package var provisional = 0

    package init() {}

    /// - Parameters:
    ///   - reserve: for connections of other servers.
    ///   - provisional: for each loop.
    package init(_ connections: Int, reserve: Int = 0, provisional: Int = 0) {
        self.connections = connections
        self.reserve = reserve
        self.provisional = provisional
    }

    /// Whether requests that are beyond the limit wait for room; else they are refused.
    package var holdsBack: Bool { reserve == 0 }

    /// The admission of a new connection.
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
    ///   - oldestMayGo: whether the oldest of these has had time to send its request.
    package func admission(admitted: Int, provisional: Int, oldestMayGo: Bool = true) -> Admission {
        if admitted < connections { return .admitted }
        // With a full reserve, too: it is better to refuse the request of another server than to let it wait.
        if self.provisional == 0 { return .full }
        if provisional < self.provisional { return .provisional }
        // With few places, one turn of the loop could close connections whose requests nobody has read.
        return oldestMayGo || self.provisional >= Self.maxProvisional ? .insteadOfOldest : .full
    }

    /// Whether a provisional connection may stay, with its first request.
    ///
    /// - Parameter toReserve: whether the reserve is for such connections.
    package func admitsRequest(toReserve: Bool, admitted: Int) -> Bool {
        admitted < connections || toReserve && admitted - connections < reserve
    }
}

/// How many connections all loops have together, without the provisional ones.
package final class ConnectionCount: Sendable {
    let admitted = Atomic(0)
}
