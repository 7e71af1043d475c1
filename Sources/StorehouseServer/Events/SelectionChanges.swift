import JSON
import Locks
import StoreHosting
import Stores

/// Finds which commit has changed last what a share shows.
///
/// Shares show its revision instead of the session's: otherwise everybody could count the commits outside of the selection.
/// A commit counts only if the bytes of the value differ, since it may replace a larger part of the state.
final class SelectionChanges: Sendable {
    typealias Done = @Sendable (Result<Int, Problem>) -> Void

    /// The result of a look at the newest commits. Neither the value nor the log was read.
    enum Finding {
        /// The revision that has changed the value last.
        case changed(at: Int)
        /// The newest commit that may have changed the value. The value has to be compared; see
        /// ``SelectionChanges/compare(_:changedBy:with:)``.
        case mayHaveChanged(by: Int)
        /// The log has to be read; see ``SelectionChanges/find(_:at:in:on:_:)``.
        case unknown
    }

    /// At most so many commits are read. If none of them has changed the value, the revision before them is the answer: the
    /// value is the same since then at least.
    private static let maxCommits = 10_000
    private static let pageSize = 500
    /// The most commits of a log whose effect on the value is computed, because their patches do not tell it.
    private static let maxReplays = 16
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
        /// The value since `revision`; nil if it is not known.
        var value: Value?
    }

    /// Tells whether two values are equal.
    fileprivate enum Value: Equatable {
        case hash(Int)
        /// Comparing it at each commit would take too long: each one that touches it counts. The whole state is never compared.
        case long

        init(_ json: [UInt8]) {
            guard json.count <= Topic.maxComparedBytes else {
                self = .long
                return
            }
            var hasher = Hasher()
            json.withUnsafeBytes { hasher.combine(bytes: $0) }
            self = .hash(hasher.finalize())
        }
    }

    fileprivate struct Contents {
        var changes: [Selection: Change] = [:]
        /// The callers that wait for the same commits to be read.
        var waiting: [Question: [Done]] = [:]
    }

    private let journal: (any SessionJournal)?
    // Guards what was found, and the waiting callers. It is locked inside the locks of the store and its streams, and the
    // journal's is locked inside.
    private let contents = Locked(Contents())

    init(_ journal: (any SessionJournal)?) { self.journal = journal }

    /// Finds the revision that changed a value last.
    ///
    /// - Parameters:
    ///   - revision: one that the store has or had.
    ///   - newest: commits up to that revision that the journal does not have yet.
    func known(_ selection: Selection, at revision: Int, _ newest: [CommitRecord] = []) -> Finding {
        contents.withLock { contents in
            guard var change = contents.changes[selection] else { return .unknown }
            guard revision >= change.revision else { return overtaken(selection, at: revision) }
            if revision > change.through {
                if let last = lastTouch(of: selection, after: change.through, through: revision, newest) {
                    guard change.value == .long else { return .mayHaveChanged(by: last) }
                    change.revision = last
                }
                change.through = revision
                contents.changes[selection] = change
            }
            return .changed(at: change.revision)
        }
    }

    /// The same for a revision before the last change: another action has overtaken the one that is answered.
    private func overtaken(_ selection: Selection, at revision: Int) -> Finding {
        let commit = journal?.bufferedCommits(after: revision - 1, limit: 1)?.first
        return commit?.touches(selection) == true ? .changed(at: revision) : .unknown
    }

    /// The newest commit between two revisions that may have changed a value; nil if none has.
    private func lastTouch(
        of selection: Selection, after first: Int, through last: Int, _ newest: [CommitRecord]
    ) -> Int? {
        if let commit = newest.last(where: { $0.touches(selection) }) { return commit.revision }
        let end = newest.first.map { $0.revision - 1 } ?? last
        guard end > first else { return nil }
        let commits = journal?.bufferedCommits(after: first, limit: end - first)
        guard let commits, commits.count == end - first else { return end }
        return commits.last { $0.touches(selection) }?.revision
    }

    /// Compares a value with the one before, and remembers it.
    ///
    /// - Parameters:
    ///   - commit: the newest commit that may have changed the value.
    ///   - state: the value, and its revision.
    /// - Returns: the revision that changed the value last.
    func compare(_ selection: Selection, changedBy commit: Int, with state: EncodedState) -> Int {
        let value = Value(state.json)
        return contents.withLock { contents in
            guard var change = contents.changes[selection] else { return commit }
            // Another thread may have compared the same value or a later one.
            guard change.through < state.revision else { return min(change.revision, state.revision) }
            if change.value != value || value == .long { change.revision = commit }
            (change.through, change.value) = (state.revision, value)
            contents.changes[selection] = change
            return change.revision
        }
    }

    /// Finds the revision that changed a value last in the log, on a thread of the pool.
    ///
    /// A selector may read what no patch shows, so nothing is found for one: it counts as changed at the revision.
    ///
    /// - Parameter done: called once, on any thread.
    func find(
        _ selection: Selection, at revision: Int, in session: Session, on pool: WorkPool, _ done: @escaping Done
    ) {
        let question = Question(selection: selection, revision: revision)
        let isFirst = contents.withLock { contents in
            contents.waiting[question, default: []].append(done)
            return contents.waiting[question]?.count == 1
        }
        guard isFirst else { return }
        do throws(Problem) {
            try pool.run(for: .session(session.id)) { [self] in search(question, in: session) }
        } catch {
            finish(question, .failure(error), in: session)
        }
    }

    private func search(_ question: Question, in session: Session) {
        let revision = question.revision
        if case .named = question.selection { return finish(question, .success(revision), in: session) }
        guard let journal else { return finish(question, .success(revision), in: session) }
        journal.oldestRevision { [self] found in
            switch found {
            case .failure(let failure): finish(question, .failure(Problem(failure)), in: session)
            case .success(let oldest):
                let start = min(revision, max(oldest - 1, revision - Self.maxCommits))
                let isFirst = contents.withLock { $0.changes[question.selection] == nil }
                search(question, start, revision, replays: isFirst ? Self.maxReplays : 0, in: session, journal)
            }
        }
    }

    /// Looks at the commits after `start` and up to `end`, the newest first.
    private func search(
        _ question: Question, _ start: Int, _ end: Int, replays: Int, in session: Session,
        _ journal: any SessionJournal
    ) {
        guard start < end else { return finish(question, .success(start), in: session) }
        let first = max(start, end - Self.pageSize)
        journal.commits(after: first, limit: end - first) { [self] found in
            let commits: [CommitRecord]?
            switch found {
            case .failure(let failure): return finish(question, .failure(Problem(failure)), in: session)
            case .success(let found): commits = found
            }
            // The log may be cut meanwhile.
            guard let commits, commits.count == end - first else {
                return finish(question, .success(end), in: session)
            }
            guard let commit = commits.last(where: { $0.touches(question.selection) }) else {
                return search(question, start, first, replays: replays, in: session, journal)
            }
            guard replays > 0, question.selection != .root else {
                return finish(question, .success(commit.revision), in: session)
            }
            session.findEffect(of: commit, on: question.selection) { [self] isChange in
                guard !isChange else { return finish(question, .success(commit.revision), in: session) }
                search(question, start, commit.revision - 1, replays: replays - 1, in: session, journal)
            }
        }
    }

    private func finish(_ question: Question, _ found: Result<Int, Problem>, in session: Session) {
        let selection = question.selection
        // The whole state is not encoded for this.
        let state = selection == .root ? nil : session.read(selection, ifAt: question.revision)
        let value = selection == .root ? .long : state.map { Value($0.json) }
        let waiting = contents.withLock { contents in
            if case .success(let revision) = found {
                contents.remember(.init(revision: revision, through: question.revision, value: value), question)
            }
            return contents.waiting.removeValue(forKey: question) ?? []
        }
        for done in waiting { done(found) }
    }
}

extension SelectionChanges.Contents {
    fileprivate mutating func remember(_ change: SelectionChanges.Change, _ question: SelectionChanges.Question) {
        if let known = changes[question.selection], known.through >= question.revision { return }
        if changes.count >= SelectionChanges.maxSelections { changes = [:] }
        changes[question.selection] = change
    }
}

extension CommitRecord {
    /// Whether it may have changed a selected value, as far as its patch tells.
    func touches(_ selection: Selection) -> Bool { selection.project(changes) != .unchanged }
}

extension Session {
    /// Calls `body` with the newest revision up to `revision` that has changed what a share shows: once, on any thread.
    func findChange(
        shownBy share: Share, at revision: Int, on pool: WorkPool,
        _ body: @escaping @Sendable (Result<Int, Problem>) -> Void
    ) {
        let (changes, selection) = (events.changes, share.selection)
        switch changes.known(selection, at: revision) {
        case .changed(let change): body(.success(change))
        case .mayHaveChanged(let commit):
            // A later value tells nothing about this revision.
            let state = read(selection, ifAt: revision)
            body(.success(state.map { changes.compare(selection, changedBy: commit, with: $0) } ?? commit))
        case .unknown: changes.find(selection, at: revision, in: self, on: pool, body)
        }
    }

    /// Finds whether a commit has changed the bytes of a selected value; true if its state cannot be replayed.
    fileprivate func findEffect(
        of commit: CommitRecord, on selection: Selection, _ done: @escaping @Sendable (Bool) -> Void
    ) {
        guard case .pointer(let pointer) = selection else { return done(true) }
        state(at: commit.revision - 1) { found in
            guard let before = try? found.get().json,
                let state = try? JSONValue(parsing: before, maximumDepth: JSONValue.maxDepth),
                let next = commit.changes.applied(to: state)
            else { return done(true) }
            done(pointer.value(in: state)?.encoded() != pointer.value(in: next)?.encoded())
        }
    }
}
