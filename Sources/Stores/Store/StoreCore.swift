import Locks

/// What the stores have in common: the one copy of the state, its revision, the effects that run, and who watches.
///
/// How an action becomes the next state is the store's; everything from the commit on is here.
final class StoreCore<State: Sendable, Action: Sendable>: Sendable {
    struct Contents {
        var state: State
        var revision = 0
        var hasEnded = false
        var running: [EffectID: RunningEffect] = [:]
        var generation = 0
        /// Actions that middleware dispatched while another was being committed.
        var followUps: [Submission<Action>] = []
    }

    /// Takes an effect's actions: the same way in as everybody's.
    typealias Door = @Sendable (Submission<Action>) -> Void

    // Guards the state and all that belongs to a commit; held while an action is reduced and told to subscribers.
    // Taken before the locks of subscribers, derived stores and chains.
    let contents: Locked<Contents>
    let subscribers = Observers<Commit<State, Action>>()
    private let middleware: [any Middleware<State, Action>]

    init(_ state: State, _ middleware: [any Middleware<State, Action>]) {
        contents = Locked(Contents(state: state))
        self.middleware = middleware
    }

    /// Whether `submission` may be tried now; the outcome that says why not, otherwise. Reads only: `inout` saves a copy.
    func admits(_ submission: Submission<Action>, _ contents: inout Contents) -> Outcome? {
        if contents.hasEnded { return .ended }
        if let sender = submission.sender, contents.running[sender.id]?.generation != sender.generation {
            return .ended
        }
        if let expected = submission.expectedRevisions, !expected.contains(contents.revision) {
            return .revisionMismatch
        }
        return nil
    }

    /// Makes the revision of `action`, whose state is in place: tells the subscribers, then asks the middleware.
    func commit(
        _ action: Action, of submission: Submission<Action>, endsBatch: Bool,
        _ contents: inout Contents, _ progress: inout Progress, door: @escaping Door
    ) {
        contents.revision += 1
        let commit = Commit(
            revision: contents.revision, action: action, origin: submission.origin, cause: submission.cause,
            state: contents.state, endsBatch: endsBatch)
        subscribers.tell(commit)
        for middleware in middleware {
            for step in middleware.respond(to: commit).steps {
                perform(step, cause: commit.revision, &contents, &progress, door)
            }
        }
    }

    /// Takes the effect run that `submission` is the last word of out of those that run.
    func finishSender(
        of submission: Submission<Action>, _ contents: inout Contents, _ aftermath: inout Aftermath
    ) {
        guard submission.endsSender, let sender = submission.sender else { return }
        if let effect = contents.running.removeValue(forKey: sender.id) { aftermath.left.append(effect.chain) }
    }

    func observe(_ observer: @escaping @Sendable (State) -> Void, _ contents: Contents) -> Subscription {
        observer(contents.state)
        return subscribers.add { observer($0.state) }
    }

    /// Cancels every effect; nothing is committed from then on.
    func end() {
        let cancelled: [RunningEffect] = contents.withLock { contents in
            contents.hasEnded = true
            defer { contents.running = [:] }
            return Array(contents.running.values)
        }
        for effect in cancelled { effect.cancel() }
    }
}

/// What a submission has set going so far.
struct Progress {
    var chain: Chain?
    var effects: [EffectID] = []
    var aftermath = Aftermath()
}

extension StoreCore {
    private func perform(
        _ step: Effect<Action>.Step, cause: Int, _ contents: inout Contents, _ progress: inout Progress,
        _ door: @escaping Door
    ) {
        switch step {
        case .dispatch(let action):
            let chain = progress.chain ?? Chain()
            progress.chain = chain
            chain.enter()
            var followUp = Submission(action, origin: .middleware)
            followUp.cause = cause
            followUp.chain = chain
            contents.followUps.append(followUp)
        case .cancel(let id):
            cancel(id, &contents, &progress.aftermath)
        case .run(let id, let operation):
            start(id, operation, cause: cause, &contents, &progress, door)
        }
    }

    private func start(
        _ id: EffectID, _ operation: @escaping @Sendable (Emitter<Action>) async -> Action?, cause: Int,
        _ contents: inout Contents, _ progress: inout Progress, _ door: @escaping Door
    ) {
        let chain = progress.chain ?? Chain()
        progress.chain = chain
        progress.effects.append(id)
        // Entered before the older run leaves: a chain that goes on must not look settled in between.
        chain.enter()
        cancel(id, &contents, &progress.aftermath)
        contents.generation += 1
        let run = EffectRun(id: id, generation: contents.generation)
        let submit: @Sendable (Action, Bool) -> Void = { action, isLast in
            var submission = Submission(action, origin: .effect)
            submission.cause = cause
            submission.chain = chain
            submission.sender = run
            submission.endsSender = isLast
            door(submission)
        }
        let task = Task { [weak self] in
            guard !Task.isCancelled else { return }
            if let last = await operation(Emitter { submit($0, false) }) {
                submit(last, true)
            } else {
                self?.finish(run)
            }
        }
        contents.running[id] = RunningEffect(
            generation: run.generation, cause: cause, chain: chain, task: task)
    }

    private func cancel(_ id: EffectID, _ contents: inout Contents, _ aftermath: inout Aftermath) {
        if let effect = contents.running.removeValue(forKey: id) { aftermath.cancelled.append(effect) }
    }

    private func finish(_ run: EffectRun) {
        let chain: Chain? = contents.withLock { contents in
            guard contents.running[run.id]?.generation == run.generation else { return nil }
            return contents.running.removeValue(forKey: run.id)?.chain
        }
        chain?.leave()
    }
}
