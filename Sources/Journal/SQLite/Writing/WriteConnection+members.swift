import JSON
import StoreHosting
import Stores

/// The prepared statements for the index of members.
struct MemberStatements {
    let insert: Statement
    let delete: Statement
    let list: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        insert = try connection.prepare("INSERT OR IGNORE INTO members VALUES (?, ?)")
        delete = try connection.prepare("DELETE FROM members WHERE member = ? AND session = ?")
        list = try connection.prepare("SELECT member FROM members WHERE session = ?")
    }
}

// The index of members, which changes in the transaction of the commit. Its texts are blobs, which are compared by their bytes.
extension WriteConnection {
    /// Changes the index with a commit.
    func apply(_ change: MemberChange, to number: Int) throws(SQLiteError) {
        for member in change.removed { try run(statements.members.delete, member, number) }
        for member in change.added { try run(statements.members.insert, member, number) }
    }

    /// Makes the index of a session that of these members.
    func setMembers(_ members: [ActorID], of number: Int) throws(SQLiteError) {
        let stored = try statements.members.list.all({ $0.set(1, number) }, { $0.bytes(0) })
        let known = Set(stored.map { ActorID(String(decoding: $0, as: UTF8.self)) })
        let wanted = Set(members)
        try apply(
            MemberChange(added: Array(wanted.subtracting(known)), removed: Array(known.subtracting(wanted))), to: number
        )
    }

    /// Makes the index of a session that of its members at a revision, unless it has another one or has ended.
    func setMembers(
        _ members: [ActorID], of id: String, at revision: Int, _ arrived: ArrivedCommits
    ) throws(SQLiteError) {
        let found = try connection.prepare("SELECT number, newest FROM sessions WHERE id = ? AND ended IS NULL")
            .first({ $0.set(1, text: id) }, { ($0.integer(0), $0.integer(1)) })
        guard let (number, sorted) = found else { return }
        let newest = arrived.newest[number] ?? unsorted.newest(of: number) ?? sorted
        if newest == revision { try setMembers(members, of: number) }
    }

    private func run(_ statement: Statement, _ member: ActorID, _ number: Int) throws(SQLiteError) {
        try statement.run { values in
            values.set(1, blob: Array(member.text.utf8))
            values.set(2, number)
        }
    }
}
