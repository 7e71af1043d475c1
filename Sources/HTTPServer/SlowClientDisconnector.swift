import Synchronization

/// A connection as ``SlowClientDisconnector`` sees it.
package struct SlowClient: Sendable {
    /// How many bytes of memory its output holds.
    let heldBytes: Int
    /// For how long the client has taken none of them.
    let stalledTime: Duration

    package init(heldBytes: Int, stalledTime: Duration) {
        self.heldBytes = heldBytes
        self.stalledTime = stalledTime
    }
}

/// Disconnects clients that do not read, when the bytes that wait for all clients together reach their budget.
///
/// A client that takes bytes is never disconnected, however slowly it does. Among the others of an event loop, those that
/// hold most are disconnected first, until a quarter of the budget is free again. The loops do this one after another,
/// so that each sees what the others have freed. While no client qualifies, large responses are refused instead; see
/// `Exchange.hasRoom`.
package final class SlowClientDisconnector: Sendable {
    /// Disconnects slow clients of one event loop.
    package typealias Visit = @Sendable () async -> Void

    /// A client that has taken nothing for so long does not read.
    package static var stallTimeout: Duration { .seconds(1) }

    private static var interval: Duration { .milliseconds(250) }

    private let visits: [Visit]
    private let hasExcess: @Sendable () -> Bool
    private let sleep: @Sendable (Duration) async -> Void
    /// How often it was asked for since it is under way; 0 otherwise.
    private let requests = Atomic(0)

    /// - Parameters:
    ///   - visits: one for each event loop.
    ///   - hasExcess: whether more bytes wait than should.
    package init(
        _ visits: [Visit], hasExcess: @escaping @Sendable () -> Bool,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.visits = visits
        self.hasExcess = hasExcess
        self.sleep = sleep
    }

    /// Starts to disconnect slow clients, unless that is under way. Any thread may call it, and often.
    package func begin() {
        guard requests.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
        // The server may go before the budget has room.
        Task { [weak self, visits, sleep] in
            repeat {
                for visit in visits { await visit() }
                await sleep(Self.interval)
            } while self?.hasMoreToDo() == true
        }
    }

    /// Whether to go on. If not, the next excess begins anew; one that comes after the look at the bytes is seen here.
    private func hasMoreToDo() -> Bool {
        let known = requests.load(ordering: .acquiring)
        if hasExcess() { return true }
        return !requests.compareExchange(expected: known, desired: 0, ordering: .acquiringAndReleasing).exchanged
    }
}

// The decision.
extension SlowClientDisconnector {
    /// How many bytes to free, so that a quarter of the budget is free.
    package static func excess(of pendingBytes: Int, limit: Int) -> Int { max(0, pendingBytes - (limit - limit / 4)) }

    /// The clients to disconnect, as indices.
    ///
    /// - Parameter excess: how many bytes to free.
    package static func choose(from clients: [SlowClient], excess: Int) -> [Int] {
        let stuck = clients.indices.filter { clients[$0].heldBytes > 0 && clients[$0].stalledTime >= stallTimeout }
        var freed = 0
        return stuck.sorted { clients[$0].heldBytes > clients[$1].heldBytes }.prefix { index in
            defer { freed += clients[index].heldBytes }
            return freed < excess
        }
    }
}
