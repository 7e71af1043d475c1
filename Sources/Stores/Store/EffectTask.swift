import Platform

/// One run of an effect: waits for the delay, runs the operation within its deadline, and returns the last action.
@usableFromInline
struct EffectTask<Action: Sendable>: Sendable {
    @usableFromInline let request: EffectDescription<Action>
    @usableFromInline let progress: EffectContext
    @usableFromInline let requestedAt: Int
    @usableFromInline let environment: StoreEnvironment
    @usableFromInline let send: @Sendable (Action, Emission) -> Void
    @usableFromInline let submission: @Sendable (Action, Emission) -> QueuedActions<Action>

    /// When an action is sent: during the run, at its end, or by the deadline.
    @usableFromInline enum Emission: Sendable { case emitted, last, late }

    @inlinable
    init(
        _ effect: EffectTable<Action>.QueuedEffect, _ progress: EffectContext,
        _ environment: StoreEnvironment, _ sink: some ActionSink<Action>
    ) {
        request = effect.request
        self.progress = progress
        requestedAt = environment.now
        self.environment = environment
        let (cause, effectGroup, runID) = (effect.cause, effect.group, effect.runID)
        let submission: @Sendable (Action, Emission) -> QueuedActions<Action> = { action, emission in
            QueuedActions(
                action, origin: .effect,
                .init(
                    cause: cause, effectGroup: effectGroup, effectRunID: runID, endsEffect: emission != .emitted,
                    isTimeout: emission == .late))
        }
        self.submission = submission
        send = { [weak sink] action, emission in
            if emission == .emitted, progress.hasReturned {
                sink?.effectEmittedLate(action)
            } else {
                sink?.submit(submission(action, emission))
            }
        }
    }

    /// - Returns: the last action to submit; nil if there is none.
    @inlinable
    func callAsFunction() async -> QueuedActions<Action>? {
        if request.delay > .zero {
            progress.delayBegan()
            guard await environment.clock.sleep(for: request.delay, after: requestedAt) else { return nil }
        }
        // An effect that was cancelled before it began must not begin.
        guard !Task.isCancelled else { return nil }
        progress.operationBegan()
        let deadlineTask = request.deadline.map { timeout, action in self.deadlineTask(timeout, action) }
        defer { deadlineTask?.cancel() }
        let last = await EffectContext.running.withValue(progress) {
            await request.operation(Emitter { [send] in send($0, .emitted) })
        }
        // Later actions of a cancelled effect are dropped in silence, those of any other are a fault.
        if !Task.isCancelled { progress.markReturned() }
        return last.map { submission($0, .last) }
    }

    /// Sends `action` as the last of the run when `timeout` has passed. This cancels the run.
    @usableFromInline
    func deadlineTask(_ timeout: Duration, _ action: Action) -> Task<Void, Never> {
        let start = environment.now
        return environment.startTask { [environment, send] in
            guard await environment.clock.sleep(for: timeout, after: start) else { return }
            send(action, .late)
        }
    }
}

extension StoreClock {
    /// Waits until `delay` after `start`. False if the task was cancelled before.
    @usableFromInline
    func sleep(for delay: Duration, after start: Int) async -> Bool {
        await sleepUntil(start.saturatingAdding(delay.wholeMilliseconds))
    }

    /// Waits until `moment`. False if the task was cancelled before.
    func sleepUntil(_ moment: Int) async -> Bool {
        do throws(CancellationError) {
            try await sleep(until: moment)
            return true
        } catch {
            return false
        }
    }
}
