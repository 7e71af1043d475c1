import JSON
import Locks
package import StoreHosting
package import Stores
import Synchronization

// The lists of the sessions that a subject owns or is a member of.
extension RedisJournal {
    package func sessions(
        of subject: Subject, as role: SessionRole?, after id: String?, limit: Int
    ) async throws(JournalError) -> [SessionSummary] {
        let subjects = (role.map { [$0] } ?? SessionRole.allCases).map { RedisNames.subject(subject.text, as: $0) }
        return try await list(after: id, limit: limit, of: subjects)
    }

    package func newestState(of id: String) async throws(JournalError) -> StoredState? {
        let found = try await find(id, RedisNames.hash(of: id), incarnation: "")
        if case .session(let session, _) = found { return session.state }
        return nil
    }

    package func index(_ members: [ActorID]?, of id: String, at revision: Int) async throws(JournalError) {
        let hash = RedisNames.hash(of: id)
        let arguments = RedisNames.relation(of: hash, .fill, "", revision, members ?? [])
        let (connection, names) = (connection, names)
        let result: Result<RedisReply, JournalError> = await Promise.value { done in
            connection.call(.relate, names.keys(names.session(hash))) {
                arguments
            } done: {
                done($0)
            }
        }
        _ = try result.get()
    }

    /// Sessions of earlier releases are in no list of an owner. Nodes of those releases stop once this one has opened the storage.
    package var mayLackOwners: Bool { !connection.hasOwners.load(ordering: .relaxed) }

    package func recordIndexedOwners() {
        let command = RedisCommand("HSET", "\(names.tag):meta", "owners", "indexed")
        run { RedisBatch(command) }
    }
}

extension RedisNames {
    /// A change that the script `relate` makes.
    enum Relation: String {
        case add, remove, set, fill
    }

    /// A subject as the lists name it.
    static func subject(_ text: String, as role: SessionRole) -> String { (role == .owner ? "o" : "m") + text }

    /// The arguments of the script `relate`.
    ///
    /// - Parameters:
    ///   - claim: empty for a session that is not created yet.
    ///   - number: the sequence of the command, or the revision.
    static func relation(
        of hash: String, _ change: Relation, _ claim: String, _ number: Int, owner: Subject? = nil, _ members: [ActorID]
    ) -> RedisArguments {
        var arguments = RedisArguments(capacity: 128 + members.count * 32)
        for word in [hash, change.rawValue, claim, String(number)] { arguments.add(word) }
        if let owner { arguments.add(subject(owner.text, as: .owner)) }
        for member in members { arguments.add(subject(member.text, as: .member)) }
        return arguments
    }
}
