import Sockets
import Synchronization

/// A connection as ``OutputRelief`` sees it.
package struct SlowClient: Sendable {
    let pendingBytes: Int
    /// For how long the client has taken none of them.
    let stalledTime: Duration

    package init(pendingBytes: Int, stalledTime: Duration) {
        self.pendingBytes = pendingBytes
        self.stalledTime = stalledTime
    }
}

/// Disconnects clients that do not read, when the bytes that wait for all clients together reach their budget.
///
/// A client that takes bytes is never disconnected, however slowly it does. Among the others, those that hold most are
/// disconnected first, until a quarter of the budget is free again. While no client qualifies, large responses are
/// refused instead; see `Exchange.hasRoom`.
package final class OutputRelief: Sendable {
    /// A client that has taken nothing for so long does not read.
    package static var patience: Duration { .seconds(1) }

    private static var interval: Duration { .milliseconds(250) }

    private let output: OutputBudget
    private let managers: [ConnectionManager]
    private let isRunning = Atomic(false)

    init(_ output: OutputBudget, _ managers: [ConnectionManager]) {
        self.output = output
        self.managers = managers
    }

    /// Starts to disconnect slow clients, unless that is under way. Any thread may call it, and often.
    func begin() {
        guard !isRunning.load(ordering: .relaxed), !isRunning.exchange(true, ordering: .relaxed) else { return }
        run()
    }

    /// Looks at all connections, and again after a while until the budget has room.
    private func run() {
        for manager in managers { manager.disconnectSlowClients() }
        guard let loop = managers.first?.loop else { return }
        loop.execute { [weak self] in
            _ = loop.schedule(after: Self.interval) {
                guard let self else { return }
                if Self.excess(of: self.output.pendingBytes, limit: self.output.limit) > 0 {
                    self.run()
                } else {
                    self.isRunning.store(false, ordering: .relaxed)
                }
            }
        }
    }
}

// The decision.
extension OutputRelief {
    /// How many bytes to free, so that a quarter of the budget is free.
    package static func excess(of pendingBytes: Int, limit: Int) -> Int { max(0, pendingBytes - (limit - limit / 4)) }

    /// The clients to disconnect, as indices.
    ///
    /// - Parameter excess: how many bytes to free.
    package static func choose(from clients: [SlowClient], excess: Int) -> [Int] {
        let stuck = clients.indices.filter { clients[$0].pendingBytes > 0 && clients[$0].stalledTime >= patience }
        var freed = 0
        return stuck.sorted { clients[$0].pendingBytes > clients[$1].pendingBytes }.prefix { index in
            defer { freed += clients[index].pendingBytes }
            return freed < excess
        }
    }
}
