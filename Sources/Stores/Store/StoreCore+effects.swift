// What commits set going. Everything here happens under the store's lock.
extension StoreCore {
    /// Does what a middleware asked for.
    ///
    /// - Parameter stage: what the effects of the middleware before ran under, and then this one's.
    @usableFromInline
    package func perform(
        _ effect: Effect<Action>, cause: Int, endsBatch: Bool = true, _ contents: ContentsPointer,
        _ progress: inout DispatchContext,
        _ stage: inout EffectGroup?, _ door: any ActionSink<Action>, origin: Origin = .middleware
    ) {
        // A subscriber may have ended the store with this very commit.
        guard !contents.pointee.hasEnded else { return }
        if !endsBatch || contents.pointee.pending != nil { contents.pointee.agenda.holdsNews = !endsBatch }
        let own = environment.effectOrder == .sequential ? EffectGroup() : nil
        if let own, let stage {
            // It is not over before the one that it comes after, even where nothing runs in it.
            own.enter()
            stage.whenSettled { own.leave() }
        }
        for step in effect.steps ?? [] {
            switch step {
            case .dispatch(let action): dispatch(action, origin, cause: cause, contents, &progress)
            case .cancel(let id):
                ending(contents) { $0.effects.cancel(id, ended: &$0.aftermath.ended) }
            case .timers(let group, let timers): arm(timers, of: group, cause: cause, contents, door)
            case .run(let request):
                run(request, cause: cause, EffectStage(after: stage, own: own), contents, &progress, door)
            }
        }
        stage = own ?? stage
    }

    private func dispatch(
        _ action: Action, _ origin: Origin, cause: Int, _ contents: ContentsPointer, _ progress: inout DispatchContext
    ) {
        contents.pointee.agenda.inbox.append(
            QueuedActions(
                action, origin: origin, .init(cause: cause, chain: progress.entered(), depth: progress.depth + 1)))
    }

    private func run(
        _ request: EffectDescription<Action>, cause: Int, _ stage: EffectStage, _ contents: ContentsPointer,
        _ progress: inout DispatchContext, _ door: any ActionSink<Action>
    ) {
        let now = environment.clock.now()
        let admission = ending(contents) {
            $0.effects.admit(request, now: now, ended: &$0.aftermath.ended)
        }
        guard admission != .drop else { return }
        // Entered before the older run leaves: a chain that goes on must not look settled in between.
        let chain = progress.entered()
        stage.own?.enter()
        let chains = [chain] + (stage.own.map { [$0] } ?? [])
        progress.effects = (progress.effects ?? []) + [request.id]
        let effect = EffectTable.QueuedEffect(request: request, cause: cause, chains: chains, after: stage.after)
        if admission == .wait {
            contents.pointee.agenda.effects.wait(effect)
        } else {
            tellInTurn(.started, start(effect, contents, door), contents)
        }
    }

    private func start(
        _ effect: EffectTable<Action>.QueuedEffect, _ contents: ContentsPointer, _ door: any ActionSink<Action>
    ) -> EffectContext {
        let generation = contents.pointee.agenda.effects.nextGeneration()
        let progress = EffectContext(
            effect.request.id, cause: effect.cause, startedAt: environment.clock.now(),
            trace: effect.chains.first?.trace
        ) {
            [weak door] in door?.retries(generation)
        }
        let run = EffectTask(effect, generation, progress, environment, door)
        let gate = durabilityGate(through: effect.cause, contents)
        let task = Task(executorPreference: environment.executor) { [weak door, after = effect.after] in
            await after?.settled()
            if let gate, await !gate.wait() {
                door?.abandon(generation)
            } else if let last = await run() {
                door?.take(last)
            } else {
                door?.finish(generation)
            }
        }
        contents.pointee.agenda.effects.add(
            RunningEffect(
                id: effect.request.id, generation: generation, policy: effect.request.policy, chains: effect.chains,
                task: task, progress: progress))
        return progress
    }

    /// What holds back an effect of `revision`; nil where that is durable already, which costs nothing.
    private func durabilityGate(through revision: Int, _ contents: ContentsPointer) -> DurabilityGate? {
        guard let observer = contents.pointee.observer, !observer.isDurable(through: revision) else { return nil }
        let gate = DurabilityGate()
        observer.whenDurable(through: revision) { gate.open(isDurable: $0) }
        return gate
    }

    /// Takes out an effect that never began, because its commit did not become durable. It counts as cancelled.
    func abandon(_ generation: Int, _ door: any ActionSink<Action>) {
        let aftermath: PostLockWork = contents.withLock { contents in
            guard !contents.pointee.hasEnded else { return PostLockWork() }
            end(generation, as: .cancelled, contents, door)
            return takeAftermath(contents)
        }
        aftermath.tell()
    }

    /// Takes out an effect that has ended without a word.
    func finish(_ generation: Int, _ door: any ActionSink<Action>) {
        let aftermath: PostLockWork = contents.withLock { contents in
            guard !contents.pointee.hasEnded else { return PostLockWork() }
            end(generation, contents, door)
            return takeAftermath(contents)
        }
        aftermath.tell()
    }

    @usableFromInline
    package func isCurrent(_ sender: Int, _ contents: ContentsPointer) -> Bool {
        contents.pointee.pending?.effects.isRunning(sender) ?? false
    }

    /// Takes out the run that sends its last action.
    @usableFromInline
    package func end(_ sender: Envelope<Action>.Details, _ contents: ContentsPointer, _ door: any ActionSink<Action>) {
        end(sender.sender, isLate: sender.isLate, contents, door)
    }

    /// Takes out a run, and begins what waited for it.
    private func end(
        _ generation: Int, isLate: Bool = false, as phase: EffectEvent.Phase? = nil, _ contents: ContentsPointer,
        _ door: any ActionSink<Action>
    ) {
        guard let (ended, next) = contents.pointee.agenda.effects.end(generation) else { return }
        contents.pointee.agenda.aftermath.ended.append(ended)
        if let progress = ended.progress {
            if isLate { progress.report(.failed(code: "timeout")) }
            tell(phase ?? progress.outcome, progress, contents)
        }
        if let next { tell(.started, start(next, contents, door), contents) }
        if ended.isTimer { fire(generation, contents, door) }
    }

    /// What is to be told when the lock is free, as the last thing before it is.
    func takeAftermath(_ contents: ContentsPointer) -> PostLockWork {
        guard let agenda = contents.pointee.pending else { return PostLockWork() }
        let aftermath = agenda.aftermath
        agenda.aftermath = PostLockWork()
        if agenda.isEmpty { contents.pointee.pending = nil }
        return aftermath
    }

    @usableFromInline
    package func queue(_ action: Action, _ envelope: Envelope<Action>, _ contents: ContentsPointer) {
        contents.pointee.agenda.inbox.append(QueuedActions(action, envelope))
    }

    /// Whether one more effect might be one too many.
    @usableFromInline
    package func isTight(_ contents: ContentsPointer) -> Bool {
        contents.pointee.pending?.effects.isTight(for: 1, limit: environment.effectLimit) ?? false
    }

    /// Does what the middlewares ask for when a store goes on from a state that was kept.
    func resume(_ contents: ContentsPointer, _ door: any ActionSink<Action>) {
        var progress = DispatchContext(chain: nil, depth: 0)
        var stage: EffectGroup?
        for middleware in middleware.all {
            let effect = middleware.resume(contents.pointee.state)
            perform(
                effect, cause: contents.pointee.revision, contents, &progress, &stage, door, origin: .system)
        }
    }

    /// The effects as they are, where those of what `envelope` comes with might be too many; nil where they cannot.
    func room(for envelope: Envelope<Action>, _ contents: ContentsPointer) -> EffectTable<Action>? {
        let effects = contents.pointee.pending?.effects ?? EffectTable()
        return effects.isTight(for: envelope.count, limit: environment.effectLimit) ? effects : nil
    }

    /// Whether the effects of one action more fit into `room`, which they take up; none is started.
    func fits(
        _ action: Action, _ state: State, _ envelope: Envelope<Action>, _ contents: ContentsPointer,
        _ room: inout EffectTable<Action>
    ) -> Bool {
        var trial = room
        let now = environment.clock.now()
        let fits = withUnsafePointer(to: state) { state in
            withUnsafePointer(to: action) { action in
                let commit = Commit(
                    revision: contents.pointee.revision + 1, origin: envelope.origin, cause: envelope.details?.cause,
                    endsBatch: true, action: action, state: state)
                return middleware.all.allSatisfy { middleware in
                    trial.reserve(middleware.respond(to: commit), now: now, limit: environment.effectLimit)
                }
            }
        }
        room = trial
        return fits
    }
}

extension StoreCore {
    private func arm(
        _ timers: [StateTimer<Action>], of id: EffectID, cause: Int, _ contents: ContentsPointer,
        _ door: any ActionSink<Action>
    ) {
        let known = contents.pointee.agenda.timers.firstIndex { $0.id == id }
        if known == nil, timers.isEmpty { return }
        if known == nil { contents.pointee.agenda.timers.append(TimerGroup(id: id)) }
        let place = known ?? contents.pointee.agenda.timers.count - 1
        contents.pointee.agenda.timers[place].setTimers(timers)
        arm(place, cause: cause, contents, door)
    }

    /// Arms the next timer of a group, unless it is armed already.
    private func arm(_ place: Int, cause: Int, _ contents: ContentsPointer, _ door: any ActionSink<Action>) {
        let group = contents.pointee.agenda.timers[place]
        let next = group.next
        if let armed = group.armed {
            if armed.timer.key == next?.key { return }
            if let (ended, _) = contents.pointee.agenda.effects.end(armed.generation) {
                contents.pointee.agenda.aftermath.ended.append(ended)
            }
            contents.pointee.agenda.timers[place].disarm()
        }
        guard let next else { return }
        let generation = contents.pointee.agenda.effects.nextGeneration()
        let submission = QueuedActions(
            next.action, origin: .effect, .init(cause: cause, sender: generation, endsSender: true))
        let task = Task(executorPreference: environment.executor) {
            [weak door, clock = environment.clock] in
            guard await clock.sleepUntil(next.deadline) else { return }
            door?.take(submission)
        }
        contents.pointee.agenda.effects.add(
            RunningEffect(id: next.id, generation: generation, policy: nil, task: task))
        contents.pointee.agenda.timers[place].arm(next, generation)
    }

    /// Goes on to the next timer of the group whose timer was told.
    private func fire(_ generation: Int, _ contents: ContentsPointer, _ door: any ActionSink<Action>) {
        guard let place = contents.pointee.agenda.timers.firstIndex(where: { $0.armed?.generation == generation })
        else { return }
        contents.pointee.agenda.timers[place].markFired()
        arm(place, cause: contents.pointee.revision, contents, door)
    }
}

/// What an effect waits for, and what waits for it, where middlewares' effects run one after another.
private struct EffectStage {
    let after: EffectGroup?
    let own: EffectGroup?
}

extension DispatchContext {
    /// The chain of what is set going, entered once more.
    mutating func entered() -> EffectGroup {
        let chain = chain ?? EffectGroup(trace)
        self.chain = chain
        chain.enter()
        return chain
    }
}

// What is told of effects. Everything here happens under the store's lock.
//
// An effect has started after the commit that set it going is told, and ended before the commit of its last action. What a commit
// cancels is told behind it; within a batch all of this comes at the end, where the subscribers know of the commits.
extension StoreCore {
    /// Tells those who watch effects; what nobody watches is not even made.
    func tell(_ phase: EffectEvent.Phase, _ progress: EffectContext?, _ contents: ContentsPointer) {
        guard let progress, case let observers = observers(contents), !observers.isEmpty else { return }
        let event = progress.event(phase, at: environment.clock.now())
        for observer in observers { observer(event) }
    }

    /// The same upon a commit, where it may have to wait for the end of the batch.
    func tellInTurn(_ phase: EffectEvent.Phase, _ progress: EffectContext?, _ contents: ContentsPointer) {
        let agenda = contents.pointee.agenda
        guard agenda.holdsNews else { return tell(phase, progress, contents) }
        guard let progress, !observers(contents).isEmpty else { return }
        agenda.news.append(progress.event(phase, at: environment.clock.now()))
    }

    /// Tells what had to wait for the end of the batch.
    @usableFromInline
    package func tellNews(_ contents: ContentsPointer) {
        let agenda = contents.pointee.agenda
        guard !agenda.news.isEmpty else { return }
        let observers = observers(contents)
        for event in agenda.news {
            for observer in observers { observer(event) }
        }
        agenda.news = []
    }

    /// Tells that an effect makes a call once more, unless it has ended.
    func tellRetry(of generation: Int) {
        contents.withLock { contents in
            tell(.retrying, contents.pointee.pending?.effects.progress(of: generation), contents)
        }
    }

    /// Does what may end effects, and tells which were cancelled.
    func ending<Result>(_ contents: ContentsPointer, _ body: (PendingWork<Action>) -> Result) -> Result {
        let agenda = contents.pointee.agenda
        let before = agenda.aftermath.ended.count
        let result = body(agenda)
        for effect in agenda.aftermath.ended[before...] { tellInTurn(.cancelled, effect.progress, contents) }
        return result
    }

    private func observers(_ contents: ContentsPointer) -> [@Sendable (EffectEvent) -> Void] {
        let subscribers = contents.pointee.subscribers?.effectObservers ?? []
        return environment.effects.map { [$0] + subscribers } ?? subscribers
    }

    package func watchEffects(_ observer: @escaping @Sendable (EffectEvent) -> Void) -> Subscription {
        contents.withLock { contents in madeSubscribers(contents).add(effectObserver: observer, of: self) }
    }
}
