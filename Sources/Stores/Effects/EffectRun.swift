/// One run of an effect: waits, runs the operation within its deadline, and gives back what it says last.
struct EffectRun<Action: Sendable>: Sendable {
    private let request: EffectRequest<Action>
    private let progress: EffectProgress
    private let asked: Int
    private let environment: StoreEnvironment
    private let send: @Sendable (Action, Standing) -> Void
    private let submission: @Sendable (Action, Standing) -> Submission<Action>

    /// What an action is to the run that sends it.
    private enum Standing { case emitted, last, late }

    init(
        _ effect: EffectTable<Action>.Waiting, _ generation: Int, _ progress: EffectProgress,
        _ environment: StoreEnvironment, _ door: any Door<Action>
    ) {
        request = effect.request
        self.progress = progress
        asked = environment.clock.now()
        self.environment = environment
        let (cause, chain) = (effect.cause, effect.chains.first)
        let submission: @Sendable (Action, Standing) -> Submission<Action> = { action, standing in
            Submission(
                action, origin: .effect,
                .init(
                    cause: cause, chain: chain, sender: generation, endsSender: standing != .emitted,
                    isLate: standing == .late))
        }
        self.submission = submission
        send = { [weak door] action, standing in door?.take(submission(action, standing)) }
    }

    /// - Returns: the last action to submit; nil where there is none.
    func callAsFunction() async -> Submission<Action>? {
        if request.delay > .zero {
            let moment = asked.saturatingAdding(request.delay.milliseconds)
            guard await environment.clock.reaches(moment) else { return nil }
        }
        // Cancelled before it began: it must not begin.
        guard !Task.isCancelled else { return nil }
        let alarm = request.deadline.map { timeout, action in self.alarm(after: timeout, action) }
        defer { alarm?.cancel() }
        let last = await EffectProgress.$running.withValue(progress) {
            await request.operation(Emitter { [send] in send($0, .emitted) })
        }
        return last.map { submission($0, .last) }
    }

    /// Sends `action` as the run's last once it has taken too long, which cancels it.
    private func alarm(after timeout: Duration, _ action: Action) -> Task<Void, Never> {
        let moment = environment.clock.now().saturatingAdding(timeout.milliseconds)
        return Task(executorPreference: environment.executor) { [environment, send] in
            guard await environment.clock.reaches(moment) else { return }
            send(action, .late)
        }
    }
}

extension StoreClock {
    /// Waits for `moment`; false where the task was cancelled before.
    func reaches(_ moment: Int) async -> Bool {
        do throws(CancellationError) {
            try await sleep(until: moment)
            return true
        } catch {
            return false
        }
    }
}
