import Synchronization

/// A connection as ``InputCutter`` sees it.
package struct UnfinishedInput: Sendable {
    /// How many bytes become free if its unfinished requests are cut.
    let heldBytes: Int
    /// For how long it has waited for the rest.
    let age: Duration

    package init(heldBytes: Int, age: Duration) {
        self.heldBytes = heldBytes
        self.age = age
    }
}

/// Cuts the oldest unfinished requests when the bytes that all connections hold reach their budget.
///
/// Each event loop frees what it holds beyond its share of the budget, less a quarter. So the loops need not wait for each other,
/// and a loop below its share loses nothing. Requests that other servers forward are never cut, and a request that is being handled
/// keeps its response: only what waits behind it is dropped.
package final class InputCutter: Sendable {
    /// Cuts requests of one event loop.
    package typealias Visit = @Sendable () async -> Void

    private let visits: [Visit]
    /// How often it was asked for since it is under way; 0 otherwise.
    private let requests = Atomic(0)

    /// - Parameter visits: one for each event loop.
    package init(_ visits: [Visit]) { self.visits = visits }

    /// Starts to cut requests on all loops, once more if that is under way: bytes may have come behind it. Any thread may call it, and
    /// often.
    package func begin() {
        guard requests.add(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
        Task { [self] in
            var known: Int
            repeat {
                known = requests.load(ordering: .acquiring)
                await visitLoops()
            } while !requests.compareExchange(expected: known, desired: 0, ordering: .acquiringAndReleasing).exchanged
        }
    }

    private func visitLoops() async {
        await withDiscardingTaskGroup { group in
            for visit in visits { group.addTask { await visit() } }
        }
    }
}

// The decision.
extension InputCutter {
    /// How many bytes a loop frees, so that a quarter of its share is free.
    ///
    /// - Parameters:
    ///   - heldBytes: how many bytes the connections of the loop hold.
    ///   - limit: the budget of all loops together.
    package static func excess(of heldBytes: Int, limit: Int, loops: Int) -> Int {
        let share = limit / max(1, loops)
        return max(0, heldBytes - (share - share / 4))
    }

    /// The connections whose requests are cut, as indices: the oldest.
    ///
    /// - Parameter excess: how many bytes to free.
    package static func choose(from connections: [UnfinishedInput], excess: Int) -> [Int] {
        let cuttable = connections.indices.filter { connections[$0].heldBytes > 0 }
        var freed = 0
        return cuttable.sorted { connections[$0].age > connections[$1].age }.prefix { index in
            defer { freed += connections[index].heldBytes }
            return freed < excess
        }
    }
}
