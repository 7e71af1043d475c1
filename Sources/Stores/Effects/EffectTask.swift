import Locks
import Platform
import Synchronization

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
        return Task(executorPreference: environment.executor) { [environment, send] in
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

/// The progress of a running effect, as its operation reports it.
///
/// A store knows when an effect begins and ends, but not its result. The operation, or a client that it calls, reports the
/// result to ``current``. Without a report the effect succeeded.
public final class EffectContext: Sendable {
    /// The effect that the calling task runs; nil outside of an effect.
    public static var current: EffectContext? { running.get() }

    @usableFromInline static let running = TaskLocal<EffectContext?>(wrappedValue: nil)

    /// One step of the progress.
    public enum Report: Sendable, Hashable {
        /// A remote service with this name is called. Earlier failures no longer count.
        case calling(String)
        /// The call is repeated after a failure. `attempt` counts from 1, so the first repetition is 2.
        case retrying(attempt: Int, code: String)
        /// The effect failed, unless a later report says otherwise.
        case failed(code: String?)
        /// The effect succeeded after an earlier failure.
        case succeeded
    }

    private struct Reports {
        var upstream: String?
        var attempt: Int?
        var hasFailed = false
        var code: String?
        var lastAttempt = AttemptReport()
    }

    private struct Contents {
        var reports = Reports()
        var activity = EffectActivity(at: .now)
    }

    /// The end of one attempt of a call.
    package struct AttemptReport: Sendable, Hashable {
        /// The status of the response; nil if there was none.
        package var status: Int?
        /// The code of the library that makes the calls, if it failed.
        package var libraryCode: Int?

        package init(status: Int? = nil, libraryCode: Int? = nil) {
            self.status = status
            self.libraryCode = libraryCode
        }
    }

    /// The trace of the client's request that caused the effect.
    public let trace: TraceContext?

    private let effect: EffectID
    private let cause: Int
    private let startedAt: Int
    private let retries: @Sendable () -> Void
    // Guards the reports, and what a shutdown waits for. The last lock in the order: nothing is called while it is held.
    private let contents = Locked(Contents())
    private let returned = Atomic(false)

    /// - Parameters:
    ///   - startedAt: milliseconds since 1970.
    ///   - trace: the trace of the client's request.
    ///   - retries: called before a call is repeated.
    @usableFromInline
    package init(
        _ effect: EffectID, cause: Int, startedAt: Int, trace: TraceContext?, retries: @escaping @Sendable () -> Void
    ) {
        self.trace = trace
        self.effect = effect
        self.cause = cause
        self.startedAt = startedAt
        self.retries = retries
    }

    /// Reports a step. Any thread may call it, but not a reducer, a middleware or a subscriber.
    public func report(_ report: Report) {
        contents.withLock { contents in
            switch report {
            case .calling(let upstream):
                contents.reports = Reports(upstream: upstream, attempt: 1)
                contents.activity.callBegan()
            case .retrying(let attempt, let code):
                (contents.reports.attempt, contents.reports.code) = (attempt, code)
            case .failed(let code): (contents.reports.hasFailed, contents.reports.code) = (true, code)
            case .succeeded: contents.reports.hasFailed = false
            }
        }
        if case .retrying = report { retries() }
    }

    /// Reports the end of an attempt, for the log.
    package func report(_ attempt: AttemptReport) { contents.withLock { $0.reports.lastAttempt = attempt } }

    /// The call that was reported as ``Report/calling(_:)`` has ended. A client that does not say so calls until its effect ends.
    package func callEnded() { contents.withLock { $0.activity.callEnded(at: .now) } }

    @usableFromInline
    func delayBegan() { contents.withLock { $0.activity.delayBegan() } }

    @usableFromInline
    func operationBegan() { contents.withLock { $0.activity.operationBegan(at: .now) } }

    /// Whether a shutdown waits for the effect.
    package func isAwaited(at now: ContinuousClock.Instant) -> Bool {
        contents.withLock { $0.activity.isAwaited(at: now) }
    }

    /// Whether the operation has returned, and was not cancelled before.
    @usableFromInline package var hasReturned: Bool { returned.load(ordering: .relaxed) }

    @usableFromInline
    package func markReturned() { returned.store(true, ordering: .relaxed) }

    /// The phase of an effect that ran to its end.
    @usableFromInline package var outcome: EffectEvent.Phase {
        contents.withLock { $0.reports.hasFailed } ? .failed : .succeeded
    }

    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - source: what caused the effect, if it has ended and that is known.
    @usableFromInline
    package func event(
        _ phase: EffectEvent.Phase, at now: Int, from source: EffectEvent.Source? = nil
    ) -> EffectEvent {
        // The operation may have reported something before its start is announced. That does not belong to the start.
        let reported = phase == .started ? Reports() : contents.withLock { $0.reports }
        let hasCode = phase == .failed || phase == .retrying
        let isOver = phase != .started && phase != .retrying
        return EffectEvent(
            effect: effect, phase: phase, cause: cause, upstream: reported.upstream, attempt: reported.attempt,
            code: hasCode ? reported.code : nil, duration: isOver ? max(0, now - startedAt) : nil, source: source,
            lastAttempt: reported.lastAttempt)
    }
}

/// A change in the life of an effect.
///
/// Each effect that has started ends with exactly one further event: it succeeded, failed or was cancelled. A queued effect has
/// not started; a delayed one has. Timers are not effects.
public struct EffectEvent: Sendable, Hashable {
    /// The kind of change.
    public enum Phase: String, Sendable, CaseIterable {
        /// The store has started it.
        case started
        /// A call to a remote service is repeated.
        case retrying
        /// It ran to its end.
        case succeeded
        /// It ran to its end without success, or went past its deadline.
        case failed
        /// It was cancelled. The store ignores the rest of it.
        case cancelled
    }

    /// The id of the effect.
    public let effect: EffectID
    /// The kind of change.
    public let phase: Phase
    /// The revision whose action started it.
    public let cause: Int
    /// The remote service that it called last; nil if it reported none.
    public let upstream: String?
    /// The number of the attempt of that call, from 1; nil if it reported none.
    public let attempt: Int?
    /// The reason of the failure or the retry; nil if none was reported.
    public let code: String?
    /// The time it took in milliseconds, delays included; nil while it runs.
    public let duration: Int?
    /// The cause; nil unless it has succeeded or failed in a hosted store.
    package let source: Source?
    /// The end of the last attempt of its call.
    package let lastAttempt: EffectContext.AttemptReport

    /// The cause of an effect, as the log of a host names it.
    @usableFromInline
    package struct Source: Sendable, Hashable {
        /// The label of the store.
        package let label: String
        /// The id of the request whose action began it; nil if no request did.
        package let requestID: String?
    }
}

/// An error of an effect with a stable code, which ``EffectEvent/code`` shows.
public protocol EffectFailure: Error {
    /// The stable code.
    var effectCode: String { get }
}
