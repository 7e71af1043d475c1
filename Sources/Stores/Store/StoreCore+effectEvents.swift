// Events of effects. Everything here happens under the store's lock.
//
// `started` comes after the commit that caused the effect, and its end before the commit of its last action.
// `cancelled` comes after the commit that cancelled it. Within a batch all of these come at the end, when subscribers
// know all commits.
extension StoreCore {
    /// Notifies the observers of effects. Without observers no event is made.
    ///
    /// - Parameter group: the group of an effect that has ended by itself.
    @usableFromInline
    func notify(
        _ phase: EffectEvent.Phase, _ progress: EffectContext?, of group: EffectGroup? = nil,
        _ contents: ContentsPointer
    ) {
        guard let progress, case let observers = observers(contents), !observers.isEmpty else { return }
        let source = group.flatMap { group in
            contents.pointee.observer.map { EffectEvent.Source(label: $0.label, requestID: group.requestID) }
        }
        let event = progress.event(phase, at: environment.now, from: source)
        for observer in observers { observer(event) }
    }

    /// Notifies the observers of effects after a commit. Inside a batch, the event is deferred to the end of the batch.
    @inlinable
    func notifyAfterBatch(_ phase: EffectEvent.Phase, _ progress: EffectContext?, _ contents: ContentsPointer) {
        let work = contents.pointee.madePendingWork
        guard work.defersEffectEvents else { return notify(phase, progress, contents) }
        guard let progress, !observers(contents).isEmpty else { return }
        work.deferredEffectEvents.append(progress.event(phase, at: environment.now))
    }

    /// Notifies the events that were deferred to the end of the batch.
    @inlinable
    @inline(never)
    package func flushDeferredEvents(_ contents: ContentsPointer) {
        let work = contents.pointee.madePendingWork
        work.defersEffectEvents = false
        guard !work.deferredEffectEvents.isEmpty else { return }
        let observers = observers(contents)
        for event in work.deferredEffectEvents {
            for observer in observers { observer(event) }
        }
        work.deferredEffectEvents = []
    }

    /// Notifies that an effect retries its call, unless it has ended.
    func notifyRetry(of runID: Int) {
        contents.withLock { contents in
            notify(.retrying, contents.pointee.pending?.effects.progress(of: runID), contents)
        }
    }

    /// Calls `body`, which may end effects, and notifies the cancelled ones.
    @inlinable
    func ending<Result>(_ contents: ContentsPointer, _ body: (PendingWork<Action>) -> Result) -> Result {
        let work = contents.pointee.madePendingWork
        let before = work.postLockWork.ended.count
        let result = body(work)
        for effect in work.postLockWork.ended[before...] { notifyAfterBatch(.cancelled, effect.progress, contents) }
        return result
    }

    @usableFromInline
    func observers(_ contents: ContentsPointer) -> [@Sendable (EffectEvent) -> Void] {
        let subscribers = contents.pointee.subscribers?.effectObservers ?? []
        return environment.effects.map { [$0] + subscribers } ?? subscribers
    }

    package func watchEffects(_ observer: @escaping @Sendable (EffectEvent) -> Void) -> Subscription {
        contents.withLock { contents in madeSubscribers(contents).add(effectObserver: observer, of: self) }
    }
}
