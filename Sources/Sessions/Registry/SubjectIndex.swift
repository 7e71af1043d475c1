import JSON
import Locks
package import StoreHosting
package import Stores

/// The sessions in memory by the subjects that own them or are members of them. Any thread may call it.
///
/// It is for sessions that no journal indexes.
package final class SubjectIndex: Sendable {
    private struct Key: Hashable {
        let subject: ActorID
        let role: SessionRole
    }

    private static let shardCount = 64

    // Each guards the subjects of some sessions. A shard of `sessions` is locked while one is held.
    private let subjects = (0..<shardCount).map { _ in Locked<[SessionID: Set<Key>]>([:]) }
    // Each guards the sessions of some subjects. Nothing else is locked while one is held.
    private let sessions = (0..<shardCount).map { _ in Locked<[Key: OrderedIDs]>([:]) }

    package init() {}

    /// Adds a session.
    ///
    /// - Parameters:
    ///   - owner: nil if it belongs to nobody.
    ///   - members: empty if its kind names none.
    package func insert(_ id: SessionID, owner: ActorID?, members: [ActorID]) {
        var keys = Set(members.map { Key(subject: $0, role: .member) })
        if let owner { keys.insert(Key(subject: owner, role: .owner)) }
        subjects(of: id).withLock { subjects in
            for key in keys where subjects[id, default: []].insert(key).inserted { add(id, to: key) }
            // Its members may change from now on.
            if subjects[id] == nil { subjects[id] = [] }
        }
    }

    /// Removes a session.
    package func remove(_ id: SessionID) {
        subjects(of: id).withLock { subjects in
            for key in subjects.removeValue(forKey: id) ?? [] { remove(id, from: key) }
        }
    }

    /// Changes the members of a session, if the index has it.
    package func apply(_ change: MemberChange, to id: SessionID) {
        subjects(of: id).withLock { subjects in
            guard var known = subjects[id] else { return }
            // So that the set is not copied.
            subjects[id] = []
            for key in change.removed.map({ Key(subject: $0, role: .member) }) where known.remove(key) != nil {
                remove(id, from: key)
            }
            for key in change.added.map({ Key(subject: $0, role: .member) }) where known.insert(key).inserted {
                add(id, to: key)
            }
            subjects[id] = known
        }
    }

    /// At most `limit` sessions of a subject after `id`, in the order of their ids.
    ///
    /// - Parameter role: nil for both.
    package func sessions(of subject: ActorID, as role: SessionRole?, after id: SessionID?, limit: Int) -> [SessionID] {
        func ids(as role: SessionRole) -> [SessionID] {
            let key = Key(subject: subject, role: role)
            return sessions(of: key).withLock { $0[key]?.ids(after: id, limit: limit) ?? [] }
        }
        if let role { return ids(as: role) }
        return Array(Set(ids(as: .owner)).union(ids(as: .member)).sorted().prefix(limit))
    }

    private func add(_ id: SessionID, to key: Key) {
        sessions(of: key).withLock { $0[key, default: OrderedIDs()].insert(id) }
    }

    private func remove(_ id: SessionID, from key: Key) {
        sessions(of: key).withLock { sessions in
            sessions[key]?.remove(id)
            if sessions[key]?.isEmpty == true { sessions[key] = nil }
        }
    }

    private func subjects(of id: SessionID) -> Locked<[SessionID: Set<Key>]> {
        subjects[Int(UInt(bitPattern: id.hashValue) % UInt(Self.shardCount))]
    }

    private func sessions(of key: Key) -> Locked<[Key: OrderedIDs]> {
        sessions[Int(UInt(bitPattern: key.hashValue) % UInt(Self.shardCount))]
    }
}

extension Session {
    /// Whether it has an owner, or may have members.
    var hasSubjects: Bool { owner != nil || kind.hasMembers }

    func insert(into index: SubjectIndex) {
        guard hasSubjects else { return }
        // Empty at first, so that no change is lost that comes before the members are read.
        index.insert(id, owner: owner.map { ActorID($0.text) }, members: [])
        if kind.hasMembers { index.insert(id, owner: nil, members: store.members) }
    }
}
