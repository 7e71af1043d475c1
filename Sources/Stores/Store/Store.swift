import Locks
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Holds one state, and changes it by reducing actions: the store of Redux.
///
/// - Dispatch is synchronous and first in, first out. Any thread may dispatch; one action is reduced at a time.
/// - An action sent from a subscriber or a middleware is queued behind the one at hand, never nested and never lost.
/// - Each committed action makes one revision and one notification, with the state that belongs to it.
/// - A rejected or ignored action changes nothing.
public final class Store<State: Sendable, Action: Sendable>: StateSource {
    /// How many actions may follow from one dispatch before the store calls it a loop and drops the rest.
    static var cascadeLimit: Int { 10_000 }

    let core: StoreCore<State, Action>
    private let reducer: any Reducer<State, Action>

    /// The thread that holds the core's lock, so that a dispatch from inside a notification is seen as one.
    private let owner = Atomic<UInt>(0)
    // Guards what was dispatched from inside a notification. Taken after the core's lock.
    private let inbox = Locked<[Submission<Action>]>([])
    /// Whether the inbox holds anything; written and read by the owner only.
    private let hasSent = Atomic(false)

    /// - Parameters:
    ///   - state: at revision 0.
    ///   - middleware: in the order in which they see a commit.
    public init(
        _ state: State, reducer: any Reducer<State, Action>, middleware: [any Middleware<State, Action>] = []
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

    /// Reduces `action` and returns what came of it; its notification has been given when this returns.
    @discardableResult
    public func dispatch(_ action: Action) -> Receipt {
        submit(Submission(action, origin: .client)).0
    }

    /// Reduces all of `actions`, one revision each with nothing in between, or none of them.
    @discardableResult
    public func dispatch(batch actions: [Action]) -> Receipt {
        guard let first = actions.first else { return Receipt(.ignored, revision: revision) }
        return submit(Submission(first, then: Array(actions.dropFirst()), origin: .client)).0
    }

    public func send(_ action: Action) { dispatch(action) }

    /// Calls `subscriber` for each commit; see ``StateSource/observe(_:)`` for the rules.
    public func subscribe(_ subscriber: @escaping @Sendable (Commit<State, Action>) -> Void) -> Subscription {
        core.subscribers.add(subscriber)
    }

    public func observe(_ observer: @escaping @Sendable (State) -> Void) -> Subscription {
        var subscription: Subscription?
        exclusively { contents, _ in subscription = core.observe(observer, contents) }
        return subscription ?? Subscription {}
    }

    /// The receipt and, where it is wanted, the state that belongs to it.
    private func submit(_ submission: Submission<Action>) -> (Receipt, State?) {
        if owner.load(ordering: .relaxed) == currentThread() {
            inbox.withLock { $0.append(submission) }
            hasSent.store(true, ordering: .relaxed)
            return (Receipt(.queued, revision: 0), nil)
        }
        var receipt = Receipt(.ended, revision: 0)
        var state: State?
        exclusively { contents, aftermath in
            receipt = process(submission, &contents, &aftermath)
            if submission.wantsState { state = contents.state }
        }
        return (receipt, state)
    }

    /// Runs `body` alone, then what was dispatched meanwhile.
    ///
    /// What comes out of it goes by captured variables: a generic result would be looked up at run time on each call.
    private func exclusively(_ body: (inout StoreCore<State, Action>.Contents, inout Aftermath) -> Void) {
        let thread = currentThread()
        var aftermath = Aftermath()
        core.contents.withLock { contents in
            owner.store(thread, ordering: .relaxed)
            defer { owner.store(0, ordering: .relaxed) }
            body(&contents, &aftermath)
            drain(&contents, &aftermath)
        }
        aftermath.tell()
    }

    /// Runs what was queued behind the action at hand, and what that queued in turn.
    private func drain(_ contents: inout StoreCore<State, Action>.Contents, _ aftermath: inout Aftermath) {
        var left = Self.cascadeLimit
        while hasSent.exchange(false, ordering: .relaxed) || !contents.followUps.isEmpty {
            let sent = inbox.withLock { inbox in
                defer { inbox = [] }
                return inbox
            }
            let queued = contents.followUps + sent
            contents.followUps = []
            for submission in queued.prefix(left) { _ = process(submission, &contents, &aftermath) }
            aftermath.left += queued.compactMap(\.ownChain)
            left -= min(left, queued.count)
        }
    }

    private func process(
        _ submission: Submission<Action>, _ contents: inout StoreCore<State, Action>.Contents,
        _ aftermath: inout Aftermath
    ) -> Receipt {
        if let refusal = core.admits(submission, &contents) { return Receipt(refusal, revision: contents.revision) }
        core.finishSender(of: submission, &contents, &aftermath)
        var progress = Progress(chain: submission.chain)
        let outcome =
            submission.rest.isEmpty
            ? reduce(submission, &contents, &progress) : reduce(batch: submission, &contents, &progress)
        aftermath.append(progress.aftermath)
        return Receipt(
            outcome, revision: contents.revision, effects: progress.effects, chain: progress.chain)
    }

    private func reduce(
        _ submission: Submission<Action>, _ contents: inout StoreCore<State, Action>.Contents,
        _ progress: inout Progress
    ) -> Outcome {
        switch reducer.apply(submission.first, to: &contents.state) {
        case .ignore: return .ignored
        case .reject(let rejection): return .rejected(rejection, index: 0)
        case .accept:
            core.commit(submission.first, of: submission, endsBatch: true, &contents, &progress, door: door)
            return .committed
        }
    }

    /// Tries a batch on a copy first, since none of it may happen where a later part is refused.
    private func reduce(
        batch: Submission<Action>, _ contents: inout StoreCore<State, Action>.Contents, _ progress: inout Progress
    ) -> Outcome {
        let actions = [batch.first] + batch.rest
        var accepted: [Action] = []
        do {
            var trial = contents.state
            for (index, action) in actions.enumerated() {
                switch reducer.apply(action, to: &trial) {
                case .accept: accepted.append(action)
                case .ignore: break
                case .reject(let rejection): return .rejected(rejection, index: index)
                }
            }
        }
        for (index, action) in accepted.enumerated() {
            reducer.reduce(&contents.state, action)
            core.commit(
                action, of: batch, endsBatch: index == accepted.count - 1, &contents, &progress, door: door)
        }
        return accepted.isEmpty ? .ignored : .committed
    }

    /// The way in for this store's effects; they do not keep the store alive.
    private var door: StoreCore<State, Action>.Door {
        { [weak self] submission in _ = self?.submit(submission) }
    }
}

extension Store: StoreEngine {
    func submit(_ submission: Submission<Action>, done: @escaping @Sendable (Receipt, State?) -> Void) {
        let (receipt, state) = submit(submission)
        done(receipt, state)
    }
}

private func currentThread() -> UInt {
    #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
    #else
        UInt(pthread_self())
    #endif
}
