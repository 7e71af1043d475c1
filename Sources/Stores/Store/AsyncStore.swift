import Locks

/// A store whose reducer is asynchronous: what is sent waits in line, and is reduced strictly in the order of sending.
///
/// - The next action is reduced only when the one before it is committed, so no update is lost.
/// - The line is bounded; what finds it full is turned away with ``Outcome/overloaded``.
/// - Revisions, notifications, middleware and effects are those of ``Store``.
public final class AsyncStore<State: Sendable, Action: Sendable>: StateSource {
    /// How many submissions may wait.
    public static var lineLimit: Int { 1024 }

    typealias Completion = @Sendable (Receipt, State?) -> Void

    private struct Line {
        var waiting: [(submission: Submission<Action>, done: Completion)] = []
        var isMoving = false
    }

    let core: StoreCore<State, Action>
    private let reducer: any AsyncReducer<State, Action>
    // Guards who waits. Nothing is called while it is held.
    private let line = Locked(Line())

    /// - Parameters:
    ///   - state: at revision 0.
    ///   - middleware: in the order in which they see a commit.
    public init(
        _ state: State, reducer: any AsyncReducer<State, Action>, middleware: [any Middleware<State, Action>] = []
    ) {
        core = StoreCore(state, middleware)
        self.reducer = reducer
    }

    deinit { core.end() }

    /// Cancels the effects; nothing is committed from then on.
    public func end() { core.end() }

    public var state: State { core.contents.withLock { $0.state } }
    /// 0 at first, one more for each committed action.
    public var revision: Int { core.contents.withLock { $0.revision } }

    /// Sends `action` and waits for what comes of it.
    @discardableResult
    public func dispatch(_ action: Action) async -> Receipt {
        await withCheckedContinuation { continuation in
            submit(Submission(action, origin: .client)) { receipt, _ in
                continuation.resume(returning: receipt)
            }
        }
    }

    public func send(_ action: Action) { submit(Submission(action, origin: .client)) { _, _ in } }

    /// Calls `subscriber` for each commit; see ``StateSource/observe(_:)`` for the rules.
    public func subscribe(_ subscriber: @escaping @Sendable (Commit<State, Action>) -> Void) -> Subscription {
        core.subscribers.add(subscriber)
    }

    public func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription {
        core.contents.withLock { core.observe(observer, $0) }
    }

    func submit(_ submission: Submission<Action>, done: @escaping Completion) {
        let place: Place = line.withLock { line in
            // What the store itself set going is always let in, or its chain would never settle.
            guard line.waiting.count < Self.lineLimit || submission.origin != .client else { return .none }
            line.waiting.append((submission, done))
            defer { line.isMoving = true }
            return line.isMoving ? .behind : .first
        }
        switch place {
        case .behind: break
        case .first: Task { await self.work() }
        // The revision is not asked for: an observer that sends holds the lock that guards it.
        case .none: done(Receipt(.overloaded, revision: 0), nil)
        }
    }

    private func work() async {
        while let turn = nextTurn() {
            for (submission, done) in turn {
                var aftermath = Aftermath()
                let (receipt, state) = await process(submission, &aftermath)
                done(receipt, state)
                if let chain = submission.ownChain { aftermath.left.append(chain) }
                aftermath.tell()
            }
        }
    }

    private func nextTurn() -> [(submission: Submission<Action>, done: Completion)]? {
        line.withLock { line in
            line.isMoving = !line.waiting.isEmpty
            defer { line.waiting = [] }
            return line.isMoving ? line.waiting : nil
        }
    }
}

extension AsyncStore {
    private func process(
        _ submission: Submission<Action>, _ aftermath: inout Aftermath
    ) async -> (Receipt, State?) {
        let (refusal, state, revision): (Outcome?, State, Int) = core.contents.withLock { contents in
            let refusal = core.admits(submission, &contents)
            if refusal == nil { core.finishSender(of: submission, &contents, &aftermath) }
            return (refusal, contents.state, contents.revision)
        }
        if let refusal { return (Receipt(refusal, revision: revision), nil) }
        var next: [(Action, State)] = []
        for (index, action) in ([submission.first] + submission.rest).enumerated() {
            do throws(Rejection) {
                let result = try await reducer.reduce(next.last?.1 ?? state, action)
                if let result { next.append((action, result)) }
            } catch {
                return (Receipt(.rejected(error, index: index), revision: revision), nil)
            }
        }
        return commit(next, of: submission, &aftermath)
    }

    private func commit(
        _ changes: [(Action, State)], of submission: Submission<Action>, _ aftermath: inout Aftermath
    ) -> (Receipt, State?) {
        let (receipt, state, followUps): (Receipt, State, [Submission<Action>]) = core.contents.withLock { contents in
            if contents.hasEnded {
                return (Receipt(.ended, revision: contents.revision), contents.state, [])
            }
            var progress = Progress(chain: submission.chain)
            for (index, (action, state)) in changes.enumerated() {
                contents.state = state
                core.commit(
                    action, of: submission, endsBatch: index == changes.count - 1, &contents, &progress,
                    door: door)
            }
            aftermath.append(progress.aftermath)
            defer { contents.followUps = [] }
            let receipt = Receipt(
                changes.isEmpty ? .ignored : .committed, revision: contents.revision,
                effects: progress.effects, chain: progress.chain)
            return (receipt, contents.state, contents.followUps)
        }
        for followUp in followUps { submit(followUp) { _, _ in } }
        return (receipt, submission.wantsState ? state : nil)
    }

    /// The way in for this store's effects; they do not keep the store alive.
    private var door: StoreCore<State, Action>.Door {
        { [weak self] submission in self?.submit(submission) { _, _ in } }
    }
}

extension AsyncStore: StoreEngine {}

/// Where a submission came to stand in the line.
private enum Place { case first, behind, none }
