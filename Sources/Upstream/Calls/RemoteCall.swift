import RemoteServices
import Sockets
import Stores

/// One call, from its making to its end: attempts, redirects and pauses between them. Lives on the loop.
final class RemoteCall {
    typealias Completion = @Sendable (Result<RemoteResponse, RemoteFailure>) -> Void

    enum Step {
        case waiting
        case attempting(CurlTransfer)
        case pausing(LoopTimer)
        case over
    }

    let request: RemoteRequest
    let timeout: Duration
    let deadline: LoopInstant
    let began = LoopInstant.current
    /// Is told of each further try; nil where no effect makes the call.
    let progress: EffectContext?
    private var completion: Completion?
    private(set) var line: UpstreamPool?
    private(set) var permit: CircuitBreaker.Permit?
    private var alarm: LoopTimer?
    var step = Step.waiting
    var retries = 0
    var redirects = 0
    var attemptBegan = LoopInstant.current
    /// Where the next attempt goes, once a redirect has said so.
    var elsewhere: HTTPURL?
    /// Whether the configured fields may still be sent: not after another origin has been visited.
    var isTrusted = true

    init(_ request: RemoteRequest, timeout: Duration, _ progress: EffectContext?) {
        self.request = request
        self.timeout = timeout
        deadline = began.advanced(by: timeout)
        self.progress = progress
    }

    private var isOver: Bool {
        if case .over = step { true } else { false }
    }

    /// Begins to watch the deadline.
    /// - Parameter completion: called once, on the loop.
    /// - Returns: false if the call was cancelled before.
    func join(_ line: UpstreamPool, _ completion: @escaping Completion) -> Bool {
        guard !isOver else {
            completion(.failure(.cancelled))
            return false
        }
        self.completion = completion
        self.line = line
        alarm = line.loop.schedule(after: line.loop.now.duration(to: deadline)) {
            self.alarm = nil
            self.endLate()
        }
        return true
    }

    func start(_ permit: CircuitBreaker.Permit) {
        self.permit = permit
        attempt()
    }

    func endLate() {
        guard let line else { return }
        end(.timeout, "\(line.settings.name) did not answer within \(timeout)")
    }

    func end(_ code: RemoteFailure.Code, _ message: String) {
        end(RemoteFailure(code, message))
    }

    func end(_ failure: RemoteFailure) {
        end(.failure(failure))
    }

    /// Ends the call, wherever it stands; an exchange under way is cut. Later ends are ignored.
    func end(_ result: Result<RemoteResponse, RemoteFailure>) {
        guard !isOver else { return }
        let last = step
        step = .over
        if let line {
            if let alarm { line.loop.cancel(alarm) }
            switch last {
            case .attempting(let transfer):
                line.multi.cancel(transfer)
                tellAttempt(.failed(result.failure?.code ?? .interrupted, library: nil))
            case .pausing(let timer): line.loop.cancel(timer)
            case .waiting, .over: break
            }
            line.leave(self, permit, Self.verdict(result))
            line.meter.end(result, after: began.duration(to: line.loop.now))
        }
        line = nil
        completion?(result)
        completion = nil
    }

    /// Tells whoever listens how the attempt went that is just over.
    func tellAttempt(_ outcome: UpstreamEvent.Outcome) {
        guard let line, let observe = line.observe else { return }
        observe(
            .attempt(
                upstream: line.settings.name, method: request.method, number: retries + 1, outcome,
                attemptBegan.duration(to: line.loop.now)))
    }

    /// What a result says about the health of the service.
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

extension RemoteFailure {
    static let cancelled = RemoteFailure(.interrupted, "the call was cancelled")
    static let stopping = RemoteFailure(.interrupted, "the server is stopping")
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
