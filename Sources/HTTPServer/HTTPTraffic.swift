import Threads

/// Counts what passes through the connections of the servers that share it.
package struct HTTPTraffic: Sendable {
    private enum Counter: Int, CaseIterable { case connections, awaitedResponses, receivedBytes, sentBytes }

    private let counters = StripedCounters(count: Counter.allCases.count)

    package init() {}

    /// How many connections are open.
    package var connections: Int { self[.connections] }
    /// How many requests wait for their responses, beyond the turn of the event loop in which they came.
    package var awaitedResponses: Int { self[.awaitedResponses] }
    /// How many bytes clients have sent, heads and bodies.
    package var receivedBytes: Int { self[.receivedBytes] }
    /// How many bytes were written for clients, heads and bodies and the events of streams.
    package var sentBytes: Int { self[.sentBytes] }

    func connectionOpened() { add(1, to: .connections) }
    func connectionClosed() { add(-1, to: .connections) }
    func responseAwaited() { add(1, to: .awaitedResponses) }
    func responseNotAwaited() { add(-1, to: .awaitedResponses) }
    func received(_ byteCount: Int) { add(byteCount, to: .receivedBytes) }
    func sent(_ byteCount: Int) { add(byteCount, to: .sentBytes) }

    private func add(_ amount: Int, to counter: Counter) { counters.add(amount, to: counter.rawValue) }
    private subscript(counter: Counter) -> Int { counters[counter.rawValue] }
}
