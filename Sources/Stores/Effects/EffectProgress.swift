import Locks

/// How a running effect gets on, as told by its operation, or by what that calls.
///
/// A store knows when an effect begins and ends, but not what came of it. Whoever knows reports it to the ``current`` one. An
/// effect succeeded where nothing else was reported.
public final class EffectProgress: Sendable {
    /// The effect that the calling task runs; nil outside of one.
    public static var current: EffectProgress? { running }

    @TaskLocal static var running: EffectProgress?

    /// What there is to tell.
    public enum Report: Sendable, Hashable {
        /// A remote service of that name is called. What failed before was made good, or is tried in another way.
        case calling(String)
        /// The call is made once more, because of that failure; `attempt` counts from 1, so it is 2 at first.
        case retrying(attempt: Int, RemoteFailure.Code)
        /// What the effect is for could not be done, unless something else is reported later.
        case failed(RemoteFailure.Code?)
        /// What failed before was made good.
        case succeeded
    }

    private struct Contents {
        var upstream: String?
        var attempt: Int?
        var hasFailed = false
        var code: RemoteFailure.Code?
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
