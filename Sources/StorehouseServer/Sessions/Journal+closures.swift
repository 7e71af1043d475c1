import StoreHosting

// The forms for callers that do not wait in a task. An answer that needs no wait comes before the call returns, and a call takes
// effect before the next one.

extension Journal {
    func load(_ id: String, done: @escaping @Sendable (Result<SessionLookup, JournalError>) -> Void) {
        answer(done) { () throws(JournalError) in try await load(id) }
    }

    func list(
        after id: String?, limit: Int, done: @escaping @Sendable (Result<[SessionSummary], JournalError>) -> Void
    ) {
        answer(done) { () throws(JournalError) in try await list(after: id, limit: limit) }
    }

    func personalSession(
        of owner: Subject, kind: String, done: @escaping @Sendable (Result<String?, JournalError>) -> Void
    ) {
        answer(done) { () throws(JournalError) in try await personalSession(of: owner, kind: kind) }
    }

    func idleSessions(
        before moment: Int, limit: Int, done: @escaping @Sendable (Result<[String], JournalError>) -> Void
    ) {
        answer(done) { () throws(JournalError) in try await idleSessions(before: moment, limit: limit) }
    }

    func unusedSessions(
        from start: Int, before moment: Int, limit: Int,
        done: @escaping @Sendable (Result<UnusedSessions, JournalError>) -> Void
    ) {
        answer(done) { () throws(JournalError) in
            try await unusedSessions(from: start, before: moment, limit: limit)
        }
    }

    func dueSessions(
        after last: DueSession?, until moment: Int, limit: Int,
        done: @escaping @Sendable (Result<[DueSession], JournalError>) -> Void
    ) {
        answer(done) { () throws(JournalError) in try await dueSessions(after: last, until: moment, limit: limit) }
    }
}

extension SessionJournal {
    func commits(
        after revision: Int, limit: Int, done: @escaping @Sendable (Result<[CommitRecord]?, JournalError>) -> Void
    ) {
        answer(done) { [self] () throws(JournalError) in try await commits(after: revision, limit: limit) }
    }

    func release(_ done: @escaping @Sendable (JournalError?) -> Void) {
        let answered: @Sendable (Result<Void, JournalError>) -> Void = { result in
            if case .failure(let failure) = result { done(failure) } else { done(nil) }
        }
        answer(answered) { [self] () throws(JournalError) in try await release() }
    }
}

private func answer<Value>(
    _ done: @escaping @Sendable (Result<Value, JournalError>) -> Void,
    _ wait: @escaping @Sendable () async throws(JournalError) -> Value
) {
    let answer: @Sendable () async -> Void = {
        do throws(JournalError) {
            done(.success(try await wait()))
        } catch {
            done(.failure(error))
        }
    }
    if #available(macOS 26, *) { Task.immediate { await answer() } } else { Task { await answer() } }
}
