import StoreHosting

// The action log.
extension SessionService {
    /// Reads commits in portions, since a page may end long before its limit.
    ///
    /// - Parameter last: the revision of the last commit that it may show; nil for the newest.
    func readLog(
        _ query: ActionLogQuery, _ session: Session, upTo last: Int? = nil
    ) throws(SessionFailure) -> Handling<SessionResult> {
        guard let journal = session.journal else { throw .stored(.noActions) }
        return .later { [reads] () async throws(SessionFailure) in
            let turn = try await reads.turn(of: .session(session.id))
            var page = ActionLogPage(query, hasOwner: session.owner != nil, upTo: last ?? .max)
            do throws(JournalError) {
                switch query.start {
                case .after: try await Self.later(&page, in: journal)
                case .before: page = try await Self.earlier(page, upTo: last ?? session.store.revision, in: journal)
                }
            } catch {
                throw session.failure(error)
            }
            if page.isGone { throw await session.revisionGone(in: journal) { .goneActions(oldest: $0) } }
            return SessionResult(.log(page, turn), of: session)
        }
    }

    private static func later(
        _ page: inout ActionLogPage, in journal: any SessionJournal
    ) async throws(JournalError) {
        // A log asks no store for its revision: that may be busy.
        while page.append(try await journal.commits(after: page.lastRevision, limit: page.nextCount)),
            journal.bufferedCommits(after: page.lastRevision, limit: 1)?.isEmpty != true
        {}
    }

    private static func earlier(
        _ page: ActionLogPage, upTo newest: Int, in journal: any SessionJournal
    ) async throws(JournalError) -> ActionLogPage {
        var actions = EarlierActions(page, newest: newest)
        while let portion = actions.portion {
            if let commits = try await journal.commits(after: portion.after, limit: portion.count) {
                guard actions.append(commits) else { throw .unavailable("commits are not there yet") }
            } else {
                actions.wereCut(oldest: try await journal.oldestRevision())
            }
        }
        return actions.page
    }
}
