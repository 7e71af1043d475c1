import Locks

extension Journal {
    /// Loads a session, also one that an earlier process created.
    public func load(_ id: String) async throws(JournalError) -> SessionLookup {
        try await result { load(id, done: $0) }
    }

    /// Lists at most `limit` sessions in the order of their ids, beginning after `id`.
    public func list(after id: String?, limit: Int) async throws(JournalError) -> [SessionSummary] {
        try await result { list(after: id, limit: limit, done: $0) }
    }

    /// Finds the id of a subject's personal session of a kind, if there is one that has not ended.
    public func personalSession(of owner: Subject, kind: String) async throws(JournalError) -> String? {
        try await result { personalSession(of: owner, kind: kind, done: $0) }
    }

    /// Finds the ids of at most `limit` sessions that were last used before `moment`, and have no timer that is to fire.
    public func idleSessions(before moment: Int, limit: Int) async throws(JournalError) -> [String] {
        try await result { idleSessions(before: moment, limit: limit, done: $0) }
    }

    /// Finds sessions that were created before `moment` and never used, among the `limit` that were last used first since `start`.
    public func unusedSessions(
        from start: Int, before moment: Int, limit: Int
    ) async throws(JournalError) -> UnusedSessions {
        try await result { unusedSessions(from: start, before: moment, limit: limit, done: $0) }
    }

    /// Finds at most `limit` sessions whose next timer is due at `moment`, in the order of their deadlines and ids.
    public func dueSessions(
        after last: DueSession?, until moment: Int, limit: Int
    ) async throws(JournalError) -> [DueSession] {
        try await result { dueSessions(after: last, until: moment, limit: limit, done: $0) }
    }

    /// Writes everything that was appended, and releases the storage. No call may follow.
    public func close() async {
        await Promise.value { done in close { done(()) } }
    }
}

extension SessionJournal {
    /// The commits after `revision`, oldest first and at most `limit`; nil if the first of them was deleted by retention.
    public func commits(after revision: Int, limit: Int) async throws(JournalError) -> [CommitRecord]? {
        try await result { commits(after: revision, limit: limit, done: $0) }
    }

    /// The revision of the oldest commit that retention has not deleted: 1 if it has deleted none.
    public func oldestRevision() async throws(JournalError) -> Int {
        try await result { oldestRevision(done: $0) }
    }

    /// The data from which the state at `revision` is replayed; nil if retention has deleted it.
    public func replayBase(for revision: Int) async throws(JournalError) -> ReplayableState? {
        try await result { replayBase(for: revision, done: $0) }
    }

    /// Gives the session to whichever process loads it next. This journal persists nothing after that.
    ///
    /// - Throws: the reason if the session is not known to be free.
    public func release() async throws(JournalError) {
        try await success { release($0) }
    }
}

extension CommitRecorder {
    /// Returns once everything appended so far is durable, and the transaction that contains `revision` too.
    ///
    /// Unlike the completions of ``whenDurable(through:_:)``, tasks that wait are resumed in any order.
    ///
    /// - Parameter revision: the last of the commits to wait for; 0 for those that are appended.
    /// - Throws: the reason if something could not be persisted. Nothing after that is persisted either, and the state in
    ///   memory is not the session's any more.
    public func durable(through revision: Int) async throws(JournalError) {
        try await success { whenDurable(through: revision, $0) }
    }
}

/// The result that `begin` passes to its completion.
private func result<Value: Sendable>(
    _ begin: (@escaping @Sendable (Result<Value, JournalError>) -> Void) -> Void
) async throws(JournalError) -> Value {
    try await Promise.value(from: begin).get()
}

/// Throws the reason that `begin` passes to its completion, if there is one.
private func success(_ begin: (@escaping @Sendable (JournalError?) -> Void) -> Void) async throws(JournalError) {
    if let failure = await Promise.value(from: begin) { throw failure }
}
