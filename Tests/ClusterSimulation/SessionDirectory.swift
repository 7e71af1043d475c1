package import Cluster

/// The owners of sessions, as far as a node knows them: the sessions that it owns or claims, and the owners of others.
///
/// The entries about other nodes may be old. The node finds that out when the other node refuses, see
/// ``forget(_:at:)``. The entries about its own sessions hold as long as the node's lease does: Redis gives them to
/// nobody else until then. Each claim makes the epoch of the session one higher, and Redis refuses commits of earlier
/// epochs.
package struct SessionDirectory<ID: Hashable & Sendable>: Sendable {
    /// A claim on its way to Redis.
    package struct Claim: Sendable, Equatable {
        package let id: ID
        /// The incarnation that will own the session.
        package let incarnation: NodeIncarnation
        fileprivate let number: Int
    }

    /// The answer of Redis to a claim.
    package enum Found: Sendable, Equatable {
        /// The session was free, or the lease of its owner has ended: it is the claimant's.
        case claimed(epoch: Int)
        case owned(by: NodeIncarnation)
        /// There is no such session, or it has ended.
        case nothing
        /// The claimant's incarnation is forgotten, or Redis did not answer.
        case failed
    }

    private enum Entry: Sendable {
        case claiming(Int)
        case owned(epoch: Int)
        case elsewhere(NodeIncarnation)
        case releasing(epoch: Int)
        case released(epoch: Int)
    }

    private var entries: [ID: Entry] = [:]
    private var incarnation: NodeIncarnation?
    private var claimCount = 0
    private let maxOthers: Int
    private var otherCount = 0
    /// Whether all sessions are being given back.
    package private(set) var isDraining = false

    /// - Parameter maxOthers: how many owners of other sessions to remember.
    package init(maxOthers: Int = 1 << 16) { self.maxOthers = maxOthers }

    /// Where a session is that the node does not own, as far as it knows.
    package func place(of id: ID) -> SessionPlace {
        switch entries[id] {
        case .elsewhere(let incarnation): .elsewhere(incarnation)
        case .releasing: .releasing
        case .released: .released
        case .owned, .claiming, nil: .unknown
        }
    }

    /// The epoch of a session that the node owns; nil if it does not.
    package func epoch(of id: ID) -> Int? {
        if case .owned(let epoch) = entries[id] { epoch } else { nil }
    }

    /// Whether the node has asked Redis for a session.
    package func isClaiming(_ id: ID) -> Bool {
        if case .claiming = entries[id] { true } else { false }
    }

    /// The sessions that the node owns.
    package var owned: [ID] {
        entries.compactMap { id, entry in if case .owned = entry { id } else { nil } }
    }

    /// Begins to claim a session; nil if the node has no incarnation or drains, or if the session is being claimed already.
    package mutating func claim(_ id: ID) -> Claim? {
        guard let incarnation, !isDraining else { return nil }
        if case .claiming = entries[id] { return nil }
        claimCount += 1
        set(.claiming(claimCount), for: id)
        return Claim(id: id, incarnation: incarnation, number: claimCount)
    }

    /// Whether the answer to a claim is still awaited.
    package func isCurrent(_ claim: Claim) -> Bool {
        if case .claiming(claim.number) = entries[claim.id] { true } else { false }
    }

    /// Takes the answer to a claim.
    ///
    /// - Returns: whether it counts. If not, the node has begun another incarnation or another claim since: load nothing from it.
    package mutating func take(_ found: Found, for claim: Claim) -> Bool {
        guard isCurrent(claim) else { return false }
        switch found {
        case .claimed(let epoch): set(.owned(epoch: epoch), for: claim.id)
        case .owned(let owner): set(.elsewhere(owner), for: claim.id)
        case .nothing, .failed: set(nil, for: claim.id)
        }
        return true
    }

    /// Redis has refused a commit of an epoch, or its outcome is unknown.
    ///
    /// - Returns: whether the session has to be dropped: its state in memory is old.
    package mutating func lose(_ id: ID, epoch: Int) -> Bool {
        guard case .owned(epoch) = entries[id] else { return false }
        set(nil, for: id)
        return true
    }

    /// The node gives a session to another one.
    package mutating func release(_ id: ID, epoch: Int) { set(.releasing(epoch: epoch), for: id) }

    /// Whether the answer to a release is still awaited.
    package func isReleasing(_ id: ID, epoch: Int) -> Bool {
        if case .releasing(epoch) = entries[id] { true } else { false }
    }

    /// Takes the answer to a release.
    ///
    /// - Returns: whether it counts.
    package mutating func take(released isReleased: Bool, _ id: ID, epoch: Int) -> Bool {
        guard isReleasing(id, epoch: epoch) else { return false }
        set(isReleased ? .released(epoch: epoch) : nil, for: id)
        return true
    }

    /// The session is not left to the other node any more.
    package mutating func endReservation(_ id: ID, epoch: Int) {
        if case .released(epoch) = entries[id] { set(nil, for: id) }
    }

    /// Another node has refused a request for a session, or did not answer it. A newer entry is kept.
    package mutating func forget(_ id: ID, at owner: NodeIncarnation) {
        if case .elsewhere(owner) = entries[id] { set(nil, for: id) }
    }

    /// The node may claim sessions from now on.
    package mutating func begin(_ incarnation: NodeIncarnation) { self.incarnation = incarnation }

    /// The node's lease has ended, or everything is given back: it owns nothing, and answers to earlier claims do not count.
    ///
    /// - Returns: the sessions to drop.
    package mutating func end() -> [ID] {
        let lost = owned
        incarnation = nil
        entries = entries.filter { _, entry in if case .elsewhere = entry { true } else { false } }
        return lost
    }

    /// Claims nothing more. Once everything that was begun is answered, the lease is given back, and with it all sessions.
    package mutating func drain() { isDraining = true }

    private mutating func set(_ entry: Entry?, for id: ID) {
        if case .elsewhere = entries[id] { otherCount -= 1 }
        if case .elsewhere = entry {
            if otherCount == maxOthers { forgetOthers() }
            otherCount += 1
        }
        entries[id] = entry
    }

    /// They are asked for again. This is rare, and cheaper than an order of use.
    private mutating func forgetOthers() {
        entries = entries.filter { _, entry in if case .elsewhere = entry { false } else { true } }
        otherCount = 0
    }
}
