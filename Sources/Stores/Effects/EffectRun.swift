import Locks
import Platform

/// One run of an effect: waits, runs the operation within its deadline, and gives back what it says last.
struct EffectTask<Action: Sendable>: Sendable {
    private let request: EffectDescription<Action>
    private let progress: EffectContext
    private let asked: Int
    private let environment: StoreEnvironment
    private let send: @Sendable (Action, Standing) -> Void
    private let submission: @Sendable (Action, Standing) -> QueuedActions<Action>

    /// What an action is to the run that sends it.
    private enum Standing { case emitted, last, late }

    init(
        _ effect: EffectTable<Action>.Waiting, _ generation: Int, _ progress: EffectContext,
        _ environment: StoreEnvironment, _ door: any ActionSink<Action>
    ) {
        request = effect.request
        self.progress = progress
        asked = environment.clock.now()
        self.environment = environment
        let (cause, chain) = (effect.cause, effect.chains.first)
        let submission: @Sendable (Action, Standing) -> QueuedActions<Action> = { action, standing in
            QueuedActions(
                action, origin: .effect,
                .init(
                    cause: cause, chain: chain, sender: generation, endsSender: standing != .emitted,
                    isLate: standing == .late))
        }
        self.submission = submission
        send = { [weak door] action, standing in door?.take(submission(action, standing)) }
    }

    /// - Returns: the last action to submit; nil where there is none.
    func callAsFunction() async -> QueuedActions<Action>? {
        if request.delay > .zero {
            let moment = asked.saturatingAdding(request.delay.wholeMilliseconds)
            guard await environment.clock.reaches(moment) else { return nil }
        }
        // Cancelled before it began: it must not begin.
        guard !Task.isCancelled else { return nil }
        let alarm = request.deadline.map { timeout, action in self.alarm(after: timeout, action) }
        defer { alarm?.cancel() }
        let last = await EffectContext.$running.withValue(progress) {
            await request.operation(Emitter { [send] in send($0, .emitted) })
        }
        return last.map { submission($0, .last) }
    }

    /// Sends `action` as the run's last once it has taken too long, which cancels it.
    private func alarm(after timeout: Duration, _ action: Action) -> Task<Void, Never> {
        let moment = environment.clock.now().saturatingAdding(timeout.wholeMilliseconds)
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

/// How a running effect gets on, as told by its operation, or by what that calls.
///
/// A store knows when an effect begins and ends, but not what came of it. Whoever knows reports it to the ``current`` one. An
/// effect succeeded where nothing else was reported.
public final class EffectContext: Sendable {
    /// The effect that the calling task runs; nil outside of one.
    public static var current: EffectContext? { running }

    @TaskLocal static var running: EffectContext?

    /// What there is to tell.
    public enum Report: Sendable, Hashable {
        /// A remote service of that name is called. What failed before was made good, or is tried in another way.
        case calling(String)
        /// The call is made once more, because of that failure; `attempt` counts from 1, so it is 2 at first.
        case retrying(attempt: Int, code: String)
        /// What the effect is for could not be done, unless something else is reported later.
        case failed(code: String?)
        /// What failed before was made good.
        case succeeded
    }

    private struct Contents {
        var upstream: String?
        var attempt: Int?
        var hasFailed = false
        var code: String?
    }

    /// What the effect belongs to in the tracing of the client whose action caused it.
    public let trace: TraceContext?

    private let effect: EffectID
    private let cause: Int
    private let startedAt: Int
    private let retries: @Sendable () -> Void
    // Guards what was reported. Taken last: nothing is called while it is held.
    private let contents = Locked(Contents())

    /// - Parameters:
    ///   - startedAt: milliseconds since 1970.
    ///   - trace: what the effect belongs to.
    ///   - retries: called when a call is about to be made once more.
    init(_ effect: EffectID, cause: Int, startedAt: Int, trace: TraceContext?, retries: @escaping @Sendable () -> Void)
    {
        self.trace = trace
        self.effect = effect
        self.cause = cause
        self.startedAt = startedAt
        self.retries = retries
    }

    /// Tells how the effect gets on; from any thread, but not from inside a reducer, a middleware or a subscriber.
    public func report(_ report: Report) {
        contents.withLock { contents in
            switch report {
            case .calling(let upstream): contents = Contents(upstream: upstream, attempt: 1)
            case .retrying(let attempt, let code): (contents.attempt, contents.code) = (attempt, code)
            case .failed(let code): (contents.hasFailed, contents.code) = (true, code)
            case .succeeded: contents.hasFailed = false
            }
        }
        if case .retrying = report { retries() }
    }

    /// How it ended, where it came to its end.
    var outcome: EffectEvent.Phase { contents.withLock { $0.hasFailed } ? .failed : .succeeded }

    /// - Parameter now: milliseconds since 1970.
    func event(_ phase: EffectEvent.Phase, at now: Int) -> EffectEvent {
        // What has started may have told something already, or not: nothing of that belongs to its start.
        let told = phase == .started ? Contents() : contents.withLock { $0 }
        let hasCode = phase == .failed || phase == .retrying
        let isOver = phase != .started && phase != .retrying
        return EffectEvent(
            effect: effect, phase: phase, cause: cause, upstream: told.upstream, attempt: told.attempt,
            code: hasCode ? told.code : nil, duration: isOver ? max(0, now - startedAt) : nil)
    }
}

/// What has just happened to an effect of a store.
///
/// Each effect that is told to have started is told once to have ended: it succeeded, failed or was cancelled. What waits in a
/// queue has not started, and one that is delayed has. Timers are no effects.
public struct EffectEvent: Sendable, Hashable {
    /// What happened.
    public enum Phase: String, Sendable, CaseIterable {
        /// The store has set it going.
        case started
        /// What it asked a remote service for is asked once more.
        case retrying
        /// It came to its end.
        case succeeded
        /// It came to its end, and what it was for could not be done.
        case failed
        /// It was cut off, and nothing that it says is heard any more.
        case cancelled
    }

    /// Which effect.
    public let effect: EffectID
    /// What happened to it.
    public let phase: Phase
    /// The revision whose action started it.
    public let cause: Int
    /// The remote service that it called last; nil where it has told of none.
    public let upstream: String?
    /// Which try of that call this is, 1 for the first; nil where it has told of none.
    public let attempt: Int?
    /// Why it failed or is tried again; nil where nobody said.
    public let code: String?
    /// How long it took, delays included, in milliseconds; nil as long as it runs.
    public let duration: Int?
}

/// An error of an effect that names its cause in a stable word, which ``EffectEvent/code`` shows.
public protocol EffectFailure: Error {
    /// The stable word.
    var effectCode: String { get }
}
