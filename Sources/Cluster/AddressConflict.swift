/// Decides whether another process that is alive has the address of a node.
///
/// A node that is started again finds the incarnation of its earlier process, whose lease has not ended yet. An earlier incarnation whose lease is
/// renewed three times after this process has registered belongs to another process that is alive. So of two processes with one
/// address the one that has registered last stops, also after a pause, and the other one goes on.
package struct AddressConflict: Sendable {
    /// A process has one request on its way at a time. So one that has died does not renew its lease so often.
    private static let renewals = 3

    /// The incarnations that were there before, when their leases end, and how often they were renewed since.
    private var earlier: [Int: (end: Int, renewals: Int)] = [:]

    package init() {}

    /// The node has begun an incarnation.
    ///
    /// - Parameter others: the other incarnations with its address, and when their leases end by the clock of Redis.
    package mutating func registered(beside others: [Int: Int]) { earlier = others.mapValues { ($0, 0) } }

    /// The node has renewed its lease.
    ///
    /// - Returns: whether another process has its address.
    package mutating func renewed(beside others: [Int: Int]) -> Bool {
        for (incarnation, known) in earlier {
            guard let end = others[incarnation] else {
                earlier[incarnation] = nil
                continue
            }
            earlier[incarnation] = (end, known.renewals + (end > known.end ? 1 : 0))
        }
        return earlier.values.contains { $0.renewals >= Self.renewals }
    }
}
