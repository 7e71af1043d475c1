/// How many records of clients a session has, and which of them is forgotten for another one.
package struct ClientLimits: Sendable {
    /// How many records have decided entries. As many again are empty.
    package var maxClients = 1000
    /// How many of these belong to one actor, and how many of the empty ones. Whoever holds the id of the session has no such limit.
    package var maxOfActor = 256
    /// How many bytes all records have when entries of a client begin.
    package var maxBytes = 8 << 20
    /// Unused records are forgotten after this time, in milliseconds.
    package var retention = 2_592_000_000
    /// No record is forgotten within this time, in milliseconds.
    package var minAge = 600_000

    package init() {}
}

extension ClientRecords {
    package enum Room: Sendable, Equatable {
        case free
        /// Nothing fits for that many seconds.
        case none(retryAfter: Int)
    }

    /// Makes room for the entries of a client, in front of the first of a request.
    package mutating func makeRoom(for key: ClientKey, now: Int) -> Room {
        guard let victims = victims(for: key, at: now, now) else {
            return .none(retryAfter: retryAfter(for: key, now) ?? 1)
        }
        for victim in victims { forget(victim) }
        return .free
    }

    /// The first second at which ``makeRoom(for:now:)`` succeeds if nobody else acts; nil if it does now.
    func retryAfter(for key: ClientKey, _ now: Int) -> Int? {
        guard victims(for: key, at: now, now) == nil else { return nil }
        // A later moment has all victims of an earlier one.
        let moments = records.values.map { releasedAt($0, now) }.sorted()
        var (low, high) = (0, moments.count)
        while low < high {
            let middle = (low + high) / 2
            if victims(for: key, at: moments[middle], now) == nil { low = middle + 1 } else { high = middle }
        }
        let moment = low < moments.count ? moments[low] : now + limits.minAge
        return max(1, (moment - now + 999) / 1000)
    }

    /// Removes empty records until one more of an actor fits: the longest unused of its own, else that of the actor with most.
    ///
    /// - Returns: false if all of them are in a request.
    mutating func makeRoomForEmpty(of actor: UInt64) -> Bool {
        while true {
            let groups = Dictionary(grouping: records.values.filter(\.isEmpty), by: \.key.actor)
            let isOfActor = actor != 0 && groups[actor]?.count ?? 0 >= limits.maxOfActor
            guard isOfActor || records.count - decidedCount >= limits.maxClients else { return true }
            var unused = groups.mapValues { $0.filter { !turns.isRunning($0.key) } }.filter { !$0.value.isEmpty }
            if isOfActor || unused[actor] != nil { unused = unused.filter { $0.key == actor } }
            let most = unused.keys.map { groups[$0]?.count ?? 0 }.max()
            let victim = unused.filter { groups[$0.key]?.count == most }.values.joined()
                .min { $0.isLongerUnused(than: $1) }
            guard let victim else { return false }
            forget(victim)
        }
    }

    /// The moment from which a record may be forgotten if there is no room.
    private func releasedAt(_ record: ClientRecord, _ now: Int) -> Int {
        (isInUse(record.key) ? now : record.usedAt) + limits.minAge
    }

    /// The records to forget so that entries of a client fit; nil if they do not fit then.
    ///
    /// The longest unused of its own actor goes first, else that of the actor with most records.
    private func victims(for key: ClientKey, at moment: Int, _ now: Int) -> [ClientRecord]? {
        var need = Need(self, key)
        guard need.isOpen else { return [] }
        let free = records.values.filter { !$0.isEmpty && $0.key != key && releasedAt($0, now) <= moment }
        // The last one of each actor goes first.
        var groups = Dictionary(grouping: free, by: \.key.actor).mapValues { $0.sorted { $1.isLongerUnused(than: $0) } }
        var victims: [ClientRecord] = []
        while need.isOpen {
            let isOwn = need.isOfActor || groups[key.actor]?.isEmpty == false
            guard let actor = isOwn ? key.actor : need.fullest(of: groups), let victim = groups[actor]?.popLast() else {
                return nil
            }
            need.remove(victim)
            victims.append(victim)
        }
        return victims
    }
}

extension ClientRecord {
    /// The mark decides between equal times, so that every run decides alike.
    fileprivate func isLongerUnused(than other: ClientRecord) -> Bool {
        (usedAt, mark) < (other.usedAt, other.mark)
    }
}

/// By how much the records of a session are above its limits, if entries of a client were decided now.
private struct Need {
    private let limits: ClientLimits
    private let actor: UInt64
    /// A client with decided entries takes no further place.
    private let needsPlace: Bool
    private var decidedCount: Int
    private var byteCount: Int
    private var counts: [UInt64: Int] = [:]

    init(_ records: ClientRecords, _ key: ClientKey) {
        limits = records.limits
        actor = key.actor
        needsPlace = records.records[key]?.isEmpty != false
        (decidedCount, byteCount) = (records.decidedCount, records.byteCount)
        guard isOpen || needsPlace && actor != 0 && decidedCount >= limits.maxOfActor else { return }
        for record in records.records.values where !record.isEmpty { counts[record.key.actor, default: 0] += 1 }
    }

    var isOpen: Bool { isOfActor || byteCount > limits.maxBytes || needsPlace && decidedCount >= limits.maxClients }

    /// Whether the actor itself has too many.
    var isOfActor: Bool { needsPlace && actor != 0 && counts[actor, default: 0] >= limits.maxOfActor }

    /// The actor with most records, of those with a record to forget; of equal ones that with the longest unused.
    func fullest(of groups: [UInt64: [ClientRecord]]) -> UInt64? {
        groups.values.compactMap(\.last)
            .min { one, other in
                let (count, otherCount) = (counts[one.key.actor, default: 0], counts[other.key.actor, default: 0])
                return count == otherCount ? one.isLongerUnused(than: other) : count > otherCount
            }?.key.actor
    }

    mutating func remove(_ record: ClientRecord) {
        decidedCount -= 1
        byteCount -= record.byteCount
        counts[record.key.actor, default: 0] -= 1
    }
}
