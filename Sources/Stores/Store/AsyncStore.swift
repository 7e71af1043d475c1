import Locks

/// A store whose reducer is asynchronous: what is sent waits in line, and is reduced strictly in the order of sending.
///
/// - The next action is reduced only when the one before it is committed, so no update is lost.
/// - The line is bounded; what finds it full is turned away with ``Outcome/overloaded``.
/// - Revisions, notifications, middleware, effects and limits are those of ``Store``.
public final class AsyncStore<State: Sendable, Action: Sendable>: StoreProtocol {
    /// How many submissions may wait.
    public static var lineLimit: Int { 1024 }

    package typealias Completion =
        @Sendable (Receipt, StoreCore<State, Action>.ContentsPointer?) -> @Sendable () -> Void

    private enum Item {
        case submission(QueuedActions<Action>, Completion)
        /// An effect has ended without a word.
        case end(Int)
    }

    private struct Line {
        var waiting: [Item] = []
        var isMoving = false
    }

    @usableFromInline package let core: StoreCore<State, Action>
    private let reducer: any AsyncReducer<State, Action>
    // Guards who waits. Nothing is called while it is held.
    private let line = Locked(Line())

    /// A store that begins with that state.
    ///
    /// - Parameters:
    ///   - state: at revision 0.
    ///   - reducer: how actions change the state.
    ///   - middleware: in the order in which they see an action and a commit.
    ///   - environment: time, a place for effects, and limits.
    public convenience init(
        _ state: State, reducer: any AsyncReducer<State, Action>, middleware: [any Middleware<State, Action>] = [],
        environment: StoreEnvironment = .standard
    ) {
        self.init(state, reducer, MiddlewareStack(middleware), environment, observer: nil)
    }

    @usableFromInline
    package init(
        _ state: State, _ reducer: any AsyncReducer<State, Action>, _ middleware: MiddlewareStack<State, Action>,
        _ environment: StoreEnvironment, observer: sending (any CommitObserver<State, Action>)?
    ) {
        core = StoreCore(state, middleware, environment, observer)
        self.reducer = reducer
    }

    deinit { core.end() }

    /// Cancels the effects and disarms the timers; nothing is committed from then on.
    public func end() { core.end() }

    public var state: State { read { $0 } }
    /// 0 at first, one more for each committed action.
    public var revision: Int { core.contents.withLock { $0.pointee.revision } }

    public func read<Result>(_ body: (State) -> Result) -> Result {
        core.contents.withLock { body($0.pointee.state) }
    }

    /// Does what the middlewares ask for where the state was kept from an earlier store: arms timers, tells what was cut off.
    public func resume() {
        let (followUps, aftermath) = core.contents.withLock { contents in
            core.resume(contents, self)
            return (core.takeInbox(contents), core.takeAftermath(contents))
        }
        for followUp in followUps { take(followUp) }
        aftermath.tell()
    }

    /// Sends `action` and waits for what comes of it.
    @discardableResult
    public func dispatch(_ action: Action) async -> Receipt {
        await withCheckedContinuation { continuation in
            submit(QueuedActions(action, origin: .client)) { receipt, _ in
                { continuation.resume(returning: receipt) }
            }
        }
    }

    public func send(_ action: Action) { take(QueuedActions(action, origin: .client)) }

    /// Calls `subscriber` for each commit; see ``StoreProtocol/observe(_:)`` for the rules.
    public func subscribe(
        _ subscriber: @escaping @Sendable (borrowing Commit<State, Action>) -> Void
    ) -> Subscription {
        core.contents.withLock { core.subscribe(subscriber, $0) }
    }

    public func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription {
        core.contents.withLock { core.observe(observer, $0) }
    }

    /// - Parameter completion: called once, inside the store, with the receipt and the contents that belong to it; what it
    ///   returns is called outside.
    package func submit(_ submission: QueuedActions<Action>, _ completion: @escaping Completion) {
        let isEmission = submission.envelope.details.map { $0.sender != 0 && !$0.endsSender } ?? false
        // What a chain waits for is always let in, or it would never settle.
        let isBounded = submission.envelope.origin == .client || isEmission
        if !enter(.submission(submission, completion), isBounded: isBounded) {
            completion(Receipt(.overloaded, revision: revision), nil)()
        }
    }

    /// - Returns: whether there was room in the line.
    private func enter(_ item: Item, isBounded: Bool) -> Bool {
        let place: Place = line.withLock { line in
            guard line.waiting.count < Self.lineLimit || !isBounded else { return .none }
            line.waiting.append(item)
            defer { line.isMoving = true }
            return line.isMoving ? .behind : .first
        }
        if place == .first { Task(executorPreference: core.environment.executor) { await self.work() } }
        return place != .none
    }

    private func work() async {
        while let turn = nextTurn() {
            for item in turn {
                switch item {
                case .submission(let submission, let completion): await work(submission, completion)
                case .end(let generation): core.finish(generation, self)
                }
            }
        }
    }

    private func work(_ submission: QueuedActions<Action>, _ completion: Completion) async {
        let (finish, followUps, aftermath) = await process(submission, completion)
        for followUp in followUps { take(followUp) }
        finish()
        aftermath.tell()
        submission.envelope.ownChain?.leave()
    }

    private func nextTurn() -> [Item]? {
        line.withLock { line in
            line.isMoving = !line.waiting.isEmpty
            defer { line.waiting = [] }
            return line.isMoving ? line.waiting : nil
        }
    }
}

extension AsyncStore {
    /// What is left to be done outside the store's lock.
    private typealias Rest = (finish: @Sendable () -> Void, followUps: [QueuedActions<Action>], aftermath: PostLockWork)

    private func process(_ submission: QueuedActions<Action>, _ completion: Completion) async -> Rest {
        let (refusal, state): (Outcome?, State) = core.contents.withLock { contents in
            (core.refusal(submission.envelope, contents), contents.pointee.state)
        }
        if let refusal { return finish(submission, completion) { _, _ in refusal } }
        var changes: [(Action, State)] = []
        for (index, action) in submission.actions.enumerated() {
            var outcome = Outcome.ignored
            let before = changes.last?.1 ?? state
            do throws(Rejection) {
                if let action = withUnsafePointer(to: before, { core.intercept(action, $0, &outcome) }),
                    let after = try await reducer.reduce(before, action)
                {
                    changes.append((action, after))
                }
            } catch {
                core.report(error)
                outcome = .rejected(error, index: index)
            }
            if case .rejected(let rejection, _) = outcome {
                return finish(submission, completion) { _, _ in .rejected(rejection, index: index) }
            }
        }
        return finish(submission, completion) { [changes] contents, progress in
            commit(changes, of: submission, contents, &progress)
        }
    }

    /// Ends a submission in the store's lock: the effect that sent it, the commits, and the answer.
    private func finish(
        _ submission: QueuedActions<Action>, _ completion: Completion,
        _ commit: (StoreCore<State, Action>.ContentsPointer, inout DispatchContext) -> Outcome
    ) -> Rest {
        core.contents.withLock { contents in
            let state = contents.pointee.state
            var progress = DispatchContext(submission.envelope.details)
            // It may have ended or been cancelled while the reducer took its time.
            let refusal = core.refusal(submission.envelope, contents)
            if let details = submission.envelope.details, details.endsSender {
                core.end(details, contents, self)
            }
            let outcome = refusal ?? commit(contents, &progress)
            var receipt = Receipt(outcome, revision: contents.pointee.revision, progress.sequel)
            if let fault = contain(progress, contents) { receipt = receipt.with(fault) }
            let kept = submission.envelope.isDryRun ? state : nil
            let finish = completion(receipt, contents)
            if let kept { contents.pointee.state = kept } else { contents.pointee.observer?.dispatchEnded(contents) }
            return (finish, core.takeInbox(contents), core.takeAftermath(contents))
        }
    }

    /// Drops what a commit dispatched where its chain goes on too long, or grows too wide.
    private func contain(_ progress: DispatchContext, _ contents: StoreCore<State, Action>.ContentsPointer)
        -> StoreFault?
    {
        guard let chain = progress.chain, contents.pointee.pending?.inbox.isEmpty == false else { return nil }
        switch chain.cascade(progress.depth, limit: core.environment.cascadeLimit) {
        case .goesOn: break
        case .stops: return core.stopCascade(dropping: 0, contents)
        case .hasStopped: core.dropInbox(contents)
        }
        return nil
    }

    private func commit(
        _ changes: [(Action, State)], of submission: QueuedActions<Action>,
        _ contents: StoreCore<State, Action>.ContentsPointer,
        _ progress: inout DispatchContext
    ) -> Outcome {
        if var room = core.room(for: submission.envelope, contents) {
            for (index, (action, state)) in changes.enumerated()
            where !core.fits(action, state, submission.envelope, contents, &room) {
                return .rejected(.tooManyEffects, index: index)
            }
        }
        if submission.envelope.isDryRun {
            // Only lent: who asked for it has a look, and it goes again.
            if let last = changes.last { contents.pointee.state = last.1 }
            return changes.isEmpty ? .ignored : .committed
        }
        for (index, (action, state)) in changes.enumerated() {
            contents.pointee.state = state
            core.commit(
                action, submission.envelope, endsBatch: index == changes.count - 1, contents, &progress, self)
        }
        return changes.isEmpty ? .ignored : .committed
    }
}

extension AsyncStore: ActionSink {
    @usableFromInline
    package func take(_ submission: QueuedActions<Action>) { submit(submission) { _, _ in {} } }

    @usableFromInline
    package func finish(_ generation: Int) { _ = enter(.end(generation), isBounded: false) }

    @usableFromInline
    package func abandon(_ generation: Int) { core.abandon(generation, self) }

    @usableFromInline
    package func retries(_ generation: Int) { core.tellRetry(of: generation) }
}

/// Where a submission came to stand in the line.
private enum Place { case first, behind, none }
