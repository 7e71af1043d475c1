/// One run of an effect: waits, runs the operation within its deadline, and gives back what it says last.
struct EffectRun<Action: Sendable>: Sendable {
    private let request: EffectRequest<Action>
    private let asked: Int
    private let environment: StoreEnvironment
    private let send: @Sendable (Action, Bool) -> Void
    private let submission: @Sendable (Action, Bool) -> Submission<Action>

    init(
        _ effect: EffectTable<Action>.Waiting, _ generation: Int, _ environment: StoreEnvironment,
        _ door: any Door<Action>
    ) {
        request = effect.request
        asked = environment.clock.now()
        self.environment = environment
        let (cause, chain) = (effect.cause, effect.chains.first)
        let submission: @Sendable (Action, Bool) -> Submission<Action> = { action, isLast in
            Submission(
                action, origin: .effect, .init(cause: cause, chain: chain, sender: generation, endsSender: isLast))
        }
        self.submission = submission
        send = { [weak door] action, isLast in door?.take(submission(action, isLast)) }
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
        return await request.operation(Emitter { [send] in send($0, false) }).map { submission($0, true) }
    }

    /// Sends `action` as the run's last once it has taken too long, which cancels it.
    private func alarm(after timeout: Duration, _ action: Action) -> Task<Void, Never> {
        let moment = environment.clock.now().saturatingAdding(timeout.milliseconds)
        return Task(executorPreference: environment.executor) { [environment, send] in
            guard await environment.clock.reaches(moment) else { return }
            send(action, true)
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
