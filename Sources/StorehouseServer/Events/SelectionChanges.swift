import JSON
import Locks
import StoreHosting
import Stores

/// Finds which commit has changed a selected value last.
///
/// Shares show its revision instead of the session's: otherwise everybody could count the commits outside of the selection.
final class SelectionChanges: Sendable {
    typealias Done = @Sendable (Result<Int, JournalError>) -> Void

    /// At most so many commits are read. If none of them has changed the value, the revision before them is the answer: the
    /// value is the same since then at least.
    private static let maxCommits = 10_000
    private static let pageSize = 500
    /// The values that are remembered.
    fileprivate static let maxSelections = 32

    fileprivate struct Question: Hashable {
        let selection: Selection
        let revision: Int
    }

    /// No commit after `revision` and up to `through` has changed the value.
    fileprivate struct Change {
        var revision: Int
        var through: Int
    }

    fileprivate struct Contents {
        var changes: [Selection: Change] = [:]
        /// Those who wait for the same commits to be read.
        var waiting: [Question: [Done]] = [:]
    }

    private let journal: (any SessionJournal)?
    // Guards what was found, and who waits. It is locked inside the locks of the store and its streams, and the journal's is
    // locked inside.
    private let contents = Locked(Contents())

    init(_ journal: (any SessionJournal)?) { self.journal = journal }

    /// The revision that changed the value last, as of a revision that the store has or had; nil if the log has to be read.
    ///
    /// Any commit may change the value of a named selector. Without a log, any may change every value.
    func known(_ selection: Selection, at revision: Int) -> Int? {
        guard let journal else { return revision }
        if case .named = selection { return revision }
        return contents.withLock { contents in
            guard var change = contents.changes[selection], revision >= change.revision else { return nil }
            if revision > change.through {
                let count = revision - change.through
                guard let commits = journal.bufferedCommits(after: change.through, limit: count), commits.count == count
                else { return nil }
                change = Change(revision: commits.lastChange(of: selection) ?? change.revision, through: revision)
                contents.changes[selection] = change
            }
            return change.revision
        }
    }

    /// Finds the same, and reads the log for it if necessary.
    ///
    /// - Parameter done: called once, on any thread.
    func find(_ selection: Selection, at revision: Int, _ done: @escaping Done) {
        if let known = known(selection, at: revision) { return done(.success(known)) }
        guard let journal else { return done(.success(revision)) }
        let question = Question(selection: selection, revision: revision)
        let isFirst = contents.withLock { contents in
            contents.waiting[question, default: []].append(done)
            return contents.waiting[question]?.count == 1
        }
        guard isFirst else { return }
        journal.oldestRevision { [self] found in
            switch found {
            case .failure(let failure): finish(question, .failure(failure))
            case .success(let oldest):
                let start = min(revision, max(oldest - 1, revision - Self.maxCommits))
                let known = contents.withLock { $0.changes[selection] }
                if let known, (start...revision).contains(known.through) {
                    search(question, in: journal, since: known, through: revision)
                } else {
                    search(question, in: journal, since: Change(revision: start, through: start), through: revision)
                }
            }
        }
    }

    /// Looks at the commits after those of `known` and up to `end`, the newest first.
    private func search(_ question: Question, in journal: any SessionJournal, since known: Change, through end: Int) {
        let start = known.through
        guard start < end else { return finish(question, .success(known.revision)) }
        let first = max(start, end - Self.pageSize)
        journal.commits(after: first, limit: end - first) { [self] found in
            switch found {
            case .failure(let failure): finish(question, .failure(failure))
            case .success(let commits):
                // The log may be cut meanwhile.
                guard let commits, commits.count == end - first else { return finish(question, .success(end)) }
                if let change = commits.lastChange(of: question.selection) {
                    return finish(question, .success(change))
                }
                search(question, in: journal, since: known, through: first)
            }
        }
    }

    private func finish(_ question: Question, _ found: Result<Int, JournalError>) {
        let waiting = contents.withLock { contents in
            if case .success(let revision) = found { contents.remember(revision, question) }
            return contents.waiting.removeValue(forKey: question) ?? []
        }
        for done in waiting { done(found) }
    }
}

extension SelectionChanges.Contents {
    fileprivate mutating func remember(_ revision: Int, _ question: SelectionChanges.Question) {
        if let known = changes[question.selection], known.through >= question.revision { return }
        if changes.count >= SelectionChanges.maxSelections { changes = [:] }
        changes[question.selection] = .init(revision: revision, through: question.revision)
    }
}

extension [CommitRecord] {
    /// The revision of the newest one that has changed a selected value, as far as its patch tells.
    func lastChange(of selection: Selection) -> Int? {
        last { selection.project($0.changes) != .unchanged }?.revision
    }
}

extension Session {
    /// Calls `body` with the newest revision up to `revision` that has changed what a share shows: once, on any thread.
    func findChange(
        shownBy share: Share, at revision: Int, _ body: @escaping @Sendable (Result<Int, Problem>) -> Void
    ) {
        events.changes.find(share.selection, at: revision) { body($0.mapError(Problem.init)) }
    }
}
