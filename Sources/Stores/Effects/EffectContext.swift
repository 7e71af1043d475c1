import Locks

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
        var hasReturned = false
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
    package let trace: TraceContext?

    /// Names the store in its host; nil for a store without a host.
    package let identity: String?

    private let effect: EffectID
    /// The revision that has caused the effect.
    package let cause: Int
    private let time: @Sendable () -> Int
    private let startedAt: Int
    private let retries: @Sendable () -> Void
    // Guards the reports, and what a shutdown waits for. The last lock in the order: nothing is called while it is held.
    private let contents = Locked(Contents())

    /// - Parameters:
    ///   - startedAt: milliseconds since 1970.
    ///   - trace: the trace of the client's request.
    ///   - identity: names the store in its host; nil for a store without a host.
    ///   - time: the time of the store, in milliseconds since 1970.
    ///   - retries: called before a call is repeated.
    @usableFromInline
    package init(
        _ effect: EffectID, cause: Int, startedAt: Int, trace: TraceContext?, identity: String?,
        time: @escaping @Sendable () -> Int, retries: @escaping @Sendable () -> Void
    ) {
        self.identity = identity
        self.time = time
        self.trace = trace
        self.effect = effect
        self.cause = cause
        self.startedAt = startedAt
        self.retries = retries
    }

    /// The time of the store, in milliseconds since 1970.
    package var now: Int { time() }

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
    @usableFromInline package var hasReturned: Bool { contents.withLock { $0.hasReturned } }

    @usableFromInline
    package func markReturned() { contents.withLock { $0.hasReturned = true } }

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
