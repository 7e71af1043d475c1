public import Locks

// The effects of commits. Everything here happens under the store's lock.
extension StoreCore {
    /// Runs the effect that a middleware returned.
    @inlinable
    @inline(never)
    package func perform(
        _ effect: Effect<Action>, cause: Int, endsBatch: Bool = true, _ contents: ContentsPointer,
        _ progress: inout DispatchContext, _ sink: some ActionSink<Action>, origin: Origin = .middleware,
        isCopy: Bool = false
    ) {
        // A subscriber may have ended the store, or cancelled the dispatch, with this very commit.
        guard !contents.pointee.hasEnded, progress.effectGroup?.isCancelled != true else { return }
        if !endsBatch || contents.pointee.pending != nil {
            contents.pointee.madePendingWork.defersEffectEvents = !endsBatch
        }
        let answer = EffectTable<Action>.lastRunID
        for step in effect.steps ?? [] {
            switch step {
            case .dispatch(let action, let path): dispatch(action, of: path, origin, cause: cause, contents, &progress)
            case .dispatchAt(let make, let path):
                guard let action = make(moment(of: cause, contents, isCopy: isCopy)) else { continue }
                dispatch(action, of: path, origin, cause: cause, contents, &progress)
            case .cancel(let key):
                ending(contents) { $0.effects.cancel(key, ended: &$0.postLockWork.ended) }
            case .timers(let group, let timers):
                if contents.pointee.dormancy.isAwake { arm(timers, of: group, cause: cause, contents, sink) }
            case .run(let request):
                guard contents.pointee.dormancy.startsEffects else { continue }
                run(request, cause: cause, after: answer, contents, &progress, sink)
            }
        }
    }

    @usableFromInline
    func moment(of revision: Int, _ contents: ContentsPointer, isCopy: Bool) -> StoreMoment {
        StoreMoment(
            identity: identity(contents), now: environment.now, revision: revision, isCopy: isCopy,
            isReproducible: environment.identity != nil)
    }

    @usableFromInline
    func identity(_ contents: ContentsPointer) -> String? {
        contents.pointee.observer?.identity ?? environment.identity
    }

    @inlinable
    func dispatch(
        _ action: Action, of path: EffectPath, _ origin: Origin, cause: Int, _ contents: ContentsPointer,
        _ progress: inout DispatchContext
    ) {
        contents.pointee.madePendingWork.queuedActions.append(
            QueuedActions(
                action, origin: origin,
                .init(
                    cause: cause, effectGroup: progress.entered(), path: path.mayEnd ? path : nil,
                    depth: progress.depth + 1)))
    }

    /// - Parameter answer: the last run before the answer of the middleware that asks for the effect.
    @inlinable
    func run(
        _ request: EffectDescription<Action>, cause: Int, after answer: Int, _ contents: ContentsPointer,
        _ progress: inout DispatchContext, _ sink: some ActionSink<Action>
    ) {
        let now = environment.now
        var request = request
        let (runID, admission) = ending(contents) { work in
            let runID = work.effects.nextRunID()
            let admission = work.effects.admit(
                &request, as: runID, after: answer, now: now, ended: &work.postLockWork.ended)
            return (runID, admission)
        }
        guard admission != .drop else { return }
        // Entered before the older run leaves: a group that continues must not settle in between.
        let effectGroup = progress.entered()
        progress.effects = (progress.effects ?? []) + [request.key.id]
        let effect = EffectTable.QueuedEffect(request: request, runID: runID, cause: cause, group: effectGroup)
        if admission == .wait {
            contents.pointee.madePendingWork.effects.wait(effect)
        } else {
            notifyAfterBatch(.started, start(effect, contents, sink), contents)
        }
    }

    @inlinable
    func start(
        _ effect: EffectTable<Action>.QueuedEffect, _ contents: ContentsPointer, _ sink: some ActionSink<Action>
    ) -> EffectContext {
        let runID = effect.runID
        let progress = EffectContext(
            effect.request.key.id, cause: effect.cause, startedAt: environment.now,
            trace: effect.group?.trace, identity: identity(contents), time: { [environment] in environment.now },
            retries: { [weak sink] in sink?.effectRetries(runID) })
        let run = EffectTask(effect, progress, environment, sink)
        let isDurable = durability(through: effect.cause, contents)
        let task = Reduction.leaving {
            environment.startTask { [weak sink] in
                if let isDurable, await !isDurable.value() {
                    sink?.effectAbandoned(runID)
                } else if let last = await run() {
                    sink?.submit(last)
                } else {
                    sink?.effectEnded(runID)
                }
            }
        }
        contents.pointee.madePendingWork.effects.add(
            RunningEffect(
                key: effect.request.key, runID: runID, policy: effect.request.policy, group: effect.group,
                task: task, progress: progress))
        return progress
    }

    /// Whether an effect of `revision` may begin, once that is known; nil if the revision is durable already, which costs
    /// nothing.
    @inlinable
    func durability(through revision: Int, _ contents: ContentsPointer) -> Promise<Bool>? {
        guard let observer = contents.pointee.observer, !observer.isDurable(through: revision) else { return nil }
        let isDurable = Promise<Bool>()
        observer.whenDurable(through: revision, fulfill: isDurable)
        return isDurable
    }

    /// Removes an effect that never began, because its commit did not become durable. It counts as cancelled.
    @inlinable
    func effectAbandoned(_ runID: Int, _ sink: some ActionSink<Action>) {
        let postLockWork: PostLockWork = contents.withLock { contents in
            guard !contents.pointee.hasEnded else { return PostLockWork() }
            end(runID, as: .cancelled, contents, sink)
            return takePostLockWork(contents)
        }
        postLockWork.perform()
    }

    /// Removes an effect that ended without a last action.
    @inlinable
    func effectEnded(_ runID: Int, _ sink: some ActionSink<Action>) {
        let postLockWork: PostLockWork = contents.withLock { contents in
            guard !contents.pointee.hasEnded else { return PostLockWork() }
            end(runID, contents, sink)
            return takePostLockWork(contents)
        }
        postLockWork.perform()
    }

    @inlinable
    @inline(never)
    package func isCurrent(_ effectRunID: Int, _ contents: ContentsPointer) -> Bool {
        contents.pointee.pending?.effects.isRunning(effectRunID) ?? false
    }

    /// Removes the effect that sends its last action.
    @inlinable
    @inline(never)
    package func end(
        _ effectRunID: Envelope<Action>.Details, _ contents: ContentsPointer, _ sink: some ActionSink<Action>
    ) {
        end(effectRunID.effectRunID, isTimeout: effectRunID.isTimeout, contents, sink)
    }

    /// Removes an effect, and starts the one that was queued behind it.
    @inlinable
    func end(
        _ runID: Int, isTimeout: Bool = false, as phase: EffectEvent.Phase? = nil, _ contents: ContentsPointer,
        _ sink: some ActionSink<Action>
    ) {
        guard let (ended, next) = contents.pointee.madePendingWork.effects.end(runID) else { return }
        contents.pointee.madePendingWork.postLockWork.ended.append(ended)
        if let progress = ended.progress {
            if isTimeout { progress.report(.failed(code: "timeout")) }
            notify(phase ?? progress.outcome, progress, of: ended.group, contents)
        }
        if let next { notify(.started, start(next, contents, sink), contents) }
        if ended.isTimer { fire(runID, contents, sink) } else { retryTimers(contents, sink) }
    }

    /// The work to do after the lock is released. Call this last.
    @inlinable
    func takePostLockWork(_ contents: ContentsPointer) -> PostLockWork {
        guard let work = contents.pointee.pending else { return PostLockWork() }
        let postLockWork = work.postLockWork
        work.postLockWork = PostLockWork()
        if work.isEmpty { contents.pointee.pending = nil }
        return postLockWork
    }

    @inlinable
    @inline(never)
    package func queue(_ action: Action, _ envelope: Envelope<Action>, _ contents: ContentsPointer) {
        contents.pointee.madePendingWork.queuedActions.append(QueuedActions(action, envelope))
    }

    /// Whether one more effect might be one too many.
    @inlinable
    @inline(never)
    package func isNearEffectLimit(_ contents: ContentsPointer) -> Bool {
        contents.pointee.pending?.effects.isNearEffectLimit(for: 1, limit: environment.effectLimit) ?? false
    }

    /// Runs the effects that the middlewares ask for when a persisted state is resumed.
    ///
    /// - Parameter isCopy: whether the state was copied from another store, which continues with it.
    func resume(_ contents: ContentsPointer, _ sink: some ActionSink<Action>, isCopy: Bool) {
        var progress = DispatchContext(effectGroup: nil, depth: 0)
        for middleware in middleware.all {
            let effect = middleware.resumeFunction(contents.pointee.state)
            perform(
                effect, cause: contents.pointee.revision, contents, &progress, sink, origin: .system, isCopy: isCopy)
        }
    }

    /// A copy of the effect table, if the actions of `envelope` might start too many effects; nil if they cannot.
    func effectCapacity(for envelope: Envelope<Action>, _ contents: ContentsPointer) -> EffectTable<Action>? {
        let effects = contents.pointee.pending?.effects ?? EffectTable()
        return effects.isNearEffectLimit(for: envelope.count, limit: environment.effectLimit) ? effects : nil
    }

    /// Asks the middlewares about one more action that is not committed yet, and reserves the effects in `capacity`. No effect
    /// is started.
    ///
    /// - Parameters:
    ///   - place: the place of the action among those that are committed together.
    ///   - state: the state after the action.
    ///   - previous: the state before it, if a middleware asks for it.
    ///   - abstentions: the parts of the reducer that ignored the action.
    /// - Returns: the answers, for ``commit(_:_:endsBatch:_:_:_:previous:answers:abstentions:)``; nil if the effects do not fit.
    func reserveEffects(
        _ action: Action, _ place: (index: Int, isLast: Bool), _ state: State, previous: State?,
        _ abstentions: Abstentions, _ envelope: Envelope<Action>, _ contents: ContentsPointer,
        _ capacity: inout EffectTable<Action>
    ) -> [Effect<Action>?]? {
        let now = environment.now
        let revision = contents.pointee.revision + 1 + place.index
        var ended: [RunningEffect] = []
        capacity.takeMissing(&ended) { middleware.takeGone(from: &$0, in: state) }
        return withUnsafePointer(to: state) { state in
            withUnsafePointer(to: action) { action in
                withOptionalPointer(to: previous) { previous in
                    let commit = Commit(
                        revision: revision, origin: envelope.origin, actor: envelope.actor,
                        cause: envelope.details?.cause, endsBatch: place.isLast, action: action, state: state,
                        previous: previous)
                    var answers: [Effect<Action>?] = []
                    for middleware in middleware.all {
                        let answer = middleware.onlyWatches ? nil : middleware.respond(to: commit, abstentions)
                        answers.append(answer)
                        if let answer, !capacity.reserve(answer, now: now, limit: environment.effectLimit) {
                            return nil
                        }
                    }
                    return answers
                }
            }
        }
    }
}

extension DispatchContext {
    /// The group of the effects and actions that follow, entered once more.
    @usableFromInline
    mutating func entered() -> EffectGroup {
        let effectGroup = effectGroup ?? EffectGroup(trace)
        self.effectGroup = effectGroup
        effectGroup.enter()
        return effectGroup
    }
}
