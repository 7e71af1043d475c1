import Locks
import Platform
import RemoteServices
import Sockets
import Stores

/// One call: its attempts, its redirects and the pauses between them. It lives on the loop.
final class RemoteCall {
    typealias Outcome = Result<RemoteResponse, RemoteFailure>

    enum Step {
        case waiting
        case attempting(CurlTransfer)
        case pausing(LoopTimer)
        case over
    }

    let request: RemoteRequest
    let timeout: Duration
    let deadline: MonotonicInstant
    let began = MonotonicInstant.current
    /// Gets each retry; nil if no effect makes the call.
    let progress: EffectContext?
    /// The outcome, which the caller awaits.
    private let outcome: Promise<Outcome>
    private(set) var pool: UpstreamPool?
    private(set) var permit: CircuitBreaker.Permit?
    private var deadlineTimer: LoopTimer?
    var step = Step.waiting
    var retries = 0
    var redirects = 0
    var attemptBegan = MonotonicInstant.current
    /// The address of the next attempt after a redirect.
    var redirectTarget: HTTPURL?
    /// True until a redirect leads to another origin. Later requests get no configured fields, even at the first origin.
    var isSameOrigin = true

    init(_ request: RemoteRequest, timeout: Duration, _ progress: EffectContext?, _ outcome: Promise<Outcome>) {
        self.request = request
        self.timeout = timeout
        deadline = began.advanced(by: timeout)
        self.progress = progress
        self.outcome = outcome
    }

    private var isOver: Bool {
        if case .over = step { true } else { false }
    }

    /// Starts the timer of the deadline.
    ///
    /// - Returns: false if the call was cancelled before.
    func join(_ pool: UpstreamPool) -> Bool {
        guard !isOver else { return false }
        self.pool = pool
        deadlineTimer = pool.loop.schedule(after: pool.loop.now.duration(to: deadline)) {
            self.deadlineTimer = nil
            self.endAtDeadline()
        }
        return true
    }

    func start(_ permit: CircuitBreaker.Permit) {
        self.permit = permit
        attempt()
    }

    func endAtDeadline() {
        guard let pool else { return }
        end(.timeout, "\(pool.settings.name) did not answer within \(timeout)")
    }

    func end(_ code: RemoteFailure.Code, _ message: String) {
        end(RemoteFailure(code, message))
    }

    func end(_ failure: RemoteFailure) {
        end(.failure(failure))
    }

    /// Ends the call in whatever step it is, and cancels a transfer under way. Later calls have no effect.
    func end(_ result: Outcome) {
        guard !isOver else { return }
        let last = step
        step = .over
        if let pool {
            if let deadlineTimer { pool.loop.cancel(deadlineTimer) }
            switch last {
            case .attempting(let transfer):
                transfer.cancel()
                reportAttempt(.failed(result.failure?.code ?? .interrupted, library: nil))
            case .pausing(let timer): pool.loop.cancel(timer)
            case .waiting, .over: break
            }
            pool.leave(self, permit, Self.verdict(result))
            pool.counters.end(result, after: began.duration(to: pool.loop.now))
        }
        pool = nil
        outcome.fulfill(result)
    }

    /// Reports the outcome of the attempt that has just ended.
    func reportAttempt(_ outcome: UpstreamEvent.Outcome) {
        progress?.report(EffectContext.AttemptReport(outcome))
        guard let pool, let observe = pool.observe else { return }
        observe(
            .attempt(
                upstream: pool.settings.name, method: request.method, number: retries + 1, outcome,
                attemptBegan.duration(to: pool.loop.now)))
    }

    /// Judges the health of the service by a result.
    private static func verdict(_ result: Result<RemoteResponse, RemoteFailure>) -> CircuitBreaker.Verdict {
        switch result {
        case .success(let answer): answer.status >= 500 ? .failure : .success
        case .failure(let failure):
            switch failure.code {
            case .timeout, .unreachable: .failure
            case .badStatus, .badBody, .tooLarge: .success
            case .circuitOpen, .overloaded, .interrupted: .unknown
            }
        }
    }
}

extension EffectContext.AttemptReport {
    fileprivate init(_ outcome: UpstreamEvent.Outcome) {
        switch outcome {
        case .answered(let status): self.init(status: status)
        case .failed(_, let library): self.init(libraryCode: library)
        }
    }
}

extension RemoteFailure {
    static let cancelled = RemoteFailure(.interrupted, "the call was cancelled")
    static let stopping = RemoteFailure(.interrupted, "the server is stopping")
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
