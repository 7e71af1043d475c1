// Batches and dry runs.
extension Store {
    /// Validates the batch on a copy first, because nothing may be committed if a later action is rejected.
    @usableFromInline
    package func reduce(
        batch: QueuedActions<Action>, _ contents: StoreCore<State, Action>.ContentsPointer,
        _ progress: inout DispatchContext
    ) -> Outcome {
        switch validate(batch, contents) {
        case .failure(let refusal): return .rejected(refusal.rejection, index: refusal.index)
        case .success(let (accepted, state)):
            for (place, next) in accepted.enumerated() {
                if accepted.count > 1 { contents.pointee.observer?.willReduce(next.action, isNamed: false) }
                core.withPreviousState(contents) { previous in
                    if accepted.count == 1 {
                        contents.pointee.state = state
                    } else {
                        reduce(next, &contents.pointee.state, contents)
                    }
                    let isLast = place == accepted.count - 1
                    core.commit(
                        next.action, batch.envelope, endsBatch: isLast, contents, &progress, self, previous: previous,
                        answers: next.answers, abstentions: next.abstentions)
                }
            }
            return accepted.isEmpty ? .ignored : .committed
        }
    }

    /// Reduces the batch, calls `inspect` with the resulting state, and restores the state.
    @usableFromInline
    package func dryRun(
        _ batch: QueuedActions<Action>, _ contents: StoreCore<State, Action>.ContentsPointer,
        _ inspect: (Receipt, StoreCore<State, Action>.ContentsPointer) -> Void
    ) -> Receipt {
        let original = contents.pointee.state
        var outcome = core.refusal(batch.envelope, contents)
        if outcome == nil {
            switch validate(batch, contents) {
            case .failure(let refusal): outcome = .rejected(refusal.rejection, index: refusal.index)
            case .success(let (accepted, state)):
                contents.pointee.state = state
                outcome = accepted.isEmpty ? .ignored : .committed
            }
        }
        let receipt = Receipt(outcome ?? .ignored, revision: contents.pointee.revision)
        inspect(receipt, contents)
        contents.pointee.state = original
        return receipt
    }

    /// An action of a batch that would be committed, and its index.
    private struct Accepted {
        let index: Int
        let action: Action
        /// The parts of the reducer that ignored it.
        let abstentions: Abstentions
        /// The effects with which the middlewares answered; nil if they were not asked yet.
        var answers: [Effect<Action>?]?
    }

    private func reduce(
        _ next: Accepted, _ state: inout State, _ contents: StoreCore<State, Action>.ContentsPointer
    ) {
        core.contents.reducing(contents) { reducer.reduce(&state, next.action, next.abstentions) }
    }

    /// - Returns: the actions to commit, and the state that they lead to.
    private func validate(
        _ batch: QueuedActions<Action>, _ contents: StoreCore<State, Action>.ContentsPointer
    ) -> Result<([Accepted], State), BatchRefusal> {
        var state = contents.pointee.state
        var accepted: [Accepted] = []
        let context = core.context(of: batch.envelope)
        for (index, action) in batch.actions.enumerated() {
            var outcome = Outcome.ignored
            contents.pointee.observer?.willReduce(action, isNamed: false)
            if let action = withUnsafePointer(to: state, { core.intercept(action, context, $0, &outcome) }) {
                var abstentions = Abstentions()
                switch core.contents.reducing(contents, { reducer.apply(action, to: &state, &abstentions) }) {
                case .accept:
                    accepted.append(Accepted(index: index, action: action, abstentions: abstentions))
                    if core.judgesStates, let objection = contents.pointee.observer?.objection(to: state) {
                        outcome = .rejected(objection, index: index)
                    }
                case .ignore, .follow: break
                case .reject(let rejection):
                    core.report(rejection)
                    outcome = .rejected(rejection, index: index)
                }
            }
            if case .rejected(let rejection, _) = outcome { return .failure(BatchRefusal(rejection, index)) }
        }
        if core.needsAdmission(batch.envelope, contents), let last = accepted.last,
            contents.pointee.observer?.admits(state, from: batch.envelope.origin, contents) == false
        {
            let refused = firstActionOverSizeLimit(in: accepted, batch.envelope.origin, contents) ?? last
            return .failure(BatchRefusal(.stateTooLarge, refused.index))
        }
        let firstActionOverEffectLimit = firstActionOverEffectLimit(in: &accepted, batch.envelope, contents)
        return firstActionOverEffectLimit.map { .failure(BatchRefusal(.tooManyEffects, $0)) }
            ?? .success((accepted, state))
    }

    /// The first action whose state the observer does not admit.
    private func firstActionOverSizeLimit(
        in accepted: [Accepted], _ origin: Origin, _ contents: StoreCore<State, Action>.ContentsPointer
    ) -> Accepted? {
        var state = contents.pointee.state
        for next in accepted {
            reduce(next, &state, contents)
            if contents.pointee.observer?.admits(state, from: origin, contents) == false { return next }
        }
        return nil
    }

    /// The index of the first action that would start too many effects. The middlewares are asked after the reducer has
    /// accepted the whole batch, and their answers are kept for the commits.
    private func firstActionOverEffectLimit(
        in accepted: inout [Accepted], _ envelope: Envelope<Action>,
        _ contents: StoreCore<State, Action>.ContentsPointer
    ) -> Int? {
        guard !core.middleware.all.isEmpty, var capacity = core.effectCapacity(for: envelope, contents) else {
            return nil
        }
        var state = contents.pointee.state
        for (place, next) in accepted.enumerated() {
            let previous = core.middleware.readsPreviousState ? state : nil
            reduce(next, &state, contents)
            let answers = core.reserveEffects(
                next.action, (place, isLast: place == accepted.count - 1), state, previous: previous, next.abstentions,
                envelope, contents, &capacity)
            guard let answers else { return next.index }
            accepted[place].answers = answers
        }
        return nil
    }
}

/// The reason why a batch is not committed.
private struct BatchRefusal: Error {
    let rejection: Rejection
    let index: Int

    init(_ rejection: Rejection, _ index: Int) {
        self.rejection = rejection
        self.index = index
    }
}
