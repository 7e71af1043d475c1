package import JSON
import Journal
import Locks
package import StoreHosting
import Stores
import Synchronization

// Lists of sessions, and searches for some of them.
extension RedisJournal {
    /// How old a session must be, in milliseconds, before it is taken for one whose creation was not finished.
    private static let creationTime = 3_600_000

    package func list(after id: String?, limit: Int) async throws(JournalError) -> [SessionSummary] {
        try await list(after: id, limit: limit, of: [])
    }

    /// Sessions whose summaries cannot be read are left out, or one of them would hide all others.
    ///
    /// - Parameter subjects: those whose sessions are listed; none for all sessions.
    func list(after id: String?, limit: Int, of subjects: [String]) async throws(JournalError) -> [SessionSummary] {
        var found: [SessionSummary] = []
        var last = id.map(RedisNames.hash) ?? ""
        while found.count < limit {
            let rest = limit - found.count
            let part = try await part(of: subjects, after: last, limit: rest)
            found += part.sessions
            guard part.count == rest, let next = part.last, next > last else { break }
            last = next
        }
        return found
    }

    /// One call of the script `list`.
    ///
    /// - Returns: the sessions that can be read, how many there are with the others, and the name of the last one.
    private func part(
        of subjects: [String], after name: String, limit: Int
    ) async throws(JournalError) -> (sessions: [SessionSummary], count: Int, last: String?) {
        try await summaries(.list, [name, String(limit)] + subjects)
    }

    package func summaries(of ids: [String]) async throws(JournalError) -> [SessionSummary] {
        try await summaries(.summaries, ids.map { RedisNames.hash(of: $0) }).sessions
    }

    /// Calls a script that reads rows of sessions.
    ///
    /// - Returns: the sessions that can be read, how many there are with the others, and the name of the last one.
    private func summaries(
        _ script: RedisScript, _ arguments: [String]
    ) async throws(JournalError) -> (sessions: [SessionSummary], count: Int, last: String?) {
        let (connection, sealer) = (connection, sealer)
        return try await read(script, arguments) { fields throws(JournalError) in
            guard fields.count == 3, let rows = fields[1].array, let states = fields[2].array else {
                throw .corrupt("the list has no complete record")
            }
            var initial: [String: [UInt8]] = [:]
            for index in stride(from: 0, to: states.count - 1, by: 2) {
                initial[states[index].text ?? ""] = states[index + 1].bytes
            }
            let lineageID = connection.lineageID.load(ordering: .acquiring)
            let sessions = rows.compactMap { try? SessionSummary($0, initial, sealer, lineageID: lineageID) }
            return (sessions, rows.count, rows.last?.array?.last?.text)
        }
    }

    package func uses(after place: SessionUses.Place, limit: Int) async throws(JournalError) -> SessionUses {
        let sealer = sealer
        return try await read(.uses, [String(place.moment), place.tie, String(limit)]) { fields throws(JournalError) in
            guard let rows = fields.dropFirst().first?.array else { throw .corrupt("the list has no complete record") }
            let uses = rows.compactMap { try? SessionUse($0, sealer) }
            guard rows.count == limit, let last = rows.last?.array, last.count == 5, let moment = last[2].integer,
                let hash = last[4].text
            else { return SessionUses(uses, next: nil) }
            return SessionUses(uses, next: SessionUses.Place(moment: moment, tie: hash))
        }
    }

    package func sample(_ count: Int) async throws(JournalError) -> [StoredState] {
        var (states, counts, last) = ([StoredState](), [String: Int](), String?.none)
        for _ in 0..<20 {
            let page = try await list(after: last, limit: 500)
            for header in page.map(\.header) where counts[header.kind, default: 0] < count {
                if Task.isCancelled { return states }
                counts[header.kind, default: 0] += 1
                let found = try? await find(header.id, RedisNames.hash(of: header.id), incarnation: "")
                if case .session(let session, _) = found { states.append(session.state) }
            }
            guard page.count == 500 else { break }
            last = page.last?.header.id
        }
        return states
    }

    package func personalSession(of owner: Subject, kind: String) async throws(JournalError) -> String? {
        let sealer = sealer
        return try await read(.personal, of: names.personal(of: owner, kind: kind), []) { fields throws(JournalError) in
            guard let sealed = fields.dropFirst().first?.bytes else { return nil }
            return try Self.opened(sealed, sealer)
        }
    }

    package func idleSessions(before moment: Int, limit: Int) async throws(JournalError) -> [String] {
        let sealer = sealer
        return try await read(.idle, [String(moment), String(limit), incarnation]) {
            [self] fields throws(JournalError) in
            guard fields.count == 4, let sealed = fields[1].array, let gone = fields[2].array,
                let busy = fields[3].array
            else { throw .corrupt("the list has no complete record") }
            unindex(gone.compactMap(\.text), olderThan: expiry(after: Self.creationTime))
            // A timer counts as use. So these sessions do not stand before the idle ones in the next list.
            for hash in busy.compactMap(\.text) { recordUse(now, of: hash) }
            return sealed.compactMap { $0.bytes.flatMap { try? Self.opened($0, sealer) } }
        }
    }

    package func unusedSessions(
        from start: Int, before moment: Int, limit: Int
    ) async throws(JournalError) -> UnusedSessions {
        let sealer = sealer
        return try await read(.unused, [String(start), String(moment), String(limit), incarnation]) {
            [self] fields throws(JournalError) in
            guard fields.count == 4, let found = fields[1].array, let gone = fields[3].array else {
                throw .corrupt("the list has no complete record")
            }
            unindex(gone.compactMap(\.text), olderThan: expiry(after: Self.creationTime))
            let rows = found.compactMap(UnusedRow.init)
            let sessions = rows.compactMap { row in
                row.sealedID.flatMap { try? Self.opened($0, sealer) }.map {
                    UnusedSessions.Session(id: $0, createdAt: row.createdAt)
                }
            }
            return UnusedSessions(
                sessions, oldest: rows.first?.createdAt, last: fields[2].integer, from: start, before: moment)
        }
    }

    package func dueSessions(
        after last: DueSession?, until moment: Int, limit: Int
    ) async throws(JournalError) -> [DueSession] {
        let sealer = sealer
        let start = last.map { [String($0.deadline), RedisNames.hash(of: $0.id)] } ?? ["-inf", ""]
        return try await read(.due, start + [String(moment), String(limit), incarnation]) {
            fields throws(JournalError) in
            (fields.last?.array ?? []).compactMap { row in
                guard let pair = row.array, pair.count == 2, let deadline = pair[1].integer, let sealed = pair[0].bytes,
                    let id = try? Self.opened(sealed, sealer)
                else { return nil }
                return DueSession(id: id, deadline: deadline)
            }
        }
    }
}
