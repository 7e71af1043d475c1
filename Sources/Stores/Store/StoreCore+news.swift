import Locks

// What is told of effects. Everything here happens under the store's lock.
//
// An effect has started after the commit that set it going is told, and ended before the commit of its last action. What a commit
// cancels is told behind it; within a batch all of this comes at the end, where the subscribers know of the commits.
extension StoreCore {
    /// Tells those who watch effects; what nobody watches is not even made.
    func tell(_ phase: EffectEvent.Phase, _ progress: EffectProgress?, _ contents: Place) {
        guard let progress, case let observers = observers(contents), !observers.isEmpty else { return }
        let event = progress.event(phase, at: environment.clock.now())
        for observer in observers { observer(event) }
    }

    /// The same upon a commit, where it may have to wait for the end of the batch.
    func tellInTurn(_ phase: EffectEvent.Phase, _ progress: EffectProgress?, _ contents: Place) {
        let agenda = contents.pointee.agenda
        guard agenda.holdsNews else { return tell(phase, progress, contents) }
        guard let progress, !observers(contents).isEmpty else { return }
        agenda.news.append(progress.event(phase, at: environment.clock.now()))
    }

    /// Tells what had to wait for the end of the batch.
    @usableFromInline
    func tellNews(_ contents: Place) {
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
    func ending<Result>(_ contents: Place, _ body: (Agenda<Action>) -> Result) -> Result {
        let agenda = contents.pointee.agenda
        let before = agenda.aftermath.ended.count
        let result = body(agenda)
        for effect in agenda.aftermath.ended[before...] { tellInTurn(.cancelled, effect.progress, contents) }
        return result
    }

    private func observers(_ contents: Place) -> [@Sendable (EffectEvent) -> Void] {
        let subscribers = contents.pointee.subscribers?.effectObservers ?? []
        return environment.effects.map { [$0] + subscribers } ?? subscribers
    }

    func watchEffects(_ observer: @escaping @Sendable (EffectEvent) -> Void) -> Subscription {
        contents.withLock { contents in madeSubscribers(contents).add(effectObserver: observer) }
    }
}
