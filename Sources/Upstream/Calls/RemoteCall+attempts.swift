import Curl
import Platform
import RemoteServices
import Sockets
import Stores

extension RemoteCall {
    private static let redirectLimit = 5

    /// Sends the request once.
    func attempt() {
        guard let pool else { return }
        let left = pool.loop.now.duration(to: deadline)
        guard left > .zero else { return endAtDeadline() }
        guard let address = redirectTarget ?? ownAddress(pool) else {
            return end(.unreachable, "\(pool.settings.name) cannot be reached: the request cannot be sent")
        }
        attemptBegan = pool.loop.now
        let transfer = CurlTransfer(
            TransferRequest(
                method: request.method, address: address, fields: fields(pool.settings),
                body: isSameOrigin ? request.body : [], timeout: left, reusesConnection: retries == 0,
                isSameOrigin: isSameOrigin, settings: pool.settings, trust: pool.currentTrust(),
                userAgent: pool.userAgent)
        ) { self.settled($0) }
        step = .attempting(transfer)
        pool.start(transfer)
    }

    /// The service's URL with the request's target; nil if the request is not valid.
    private func ownAddress(_ pool: UpstreamPool) -> HTTPURL? {
        let areValid = request.headers.allSatisfy { !FieldLine.isFraming($0) && FieldLine.line($0, $1) != nil }
        guard areValid, !request.method.isEmpty, request.method.utf8.allSatisfy(FieldLine.isToken) else { return nil }
        return request.target.map(pool.address.appending) ?? pool.address
    }

    private var isIdempotent: Bool { request.isIdempotent ?? RetryRule.isIdempotent(request.method) }

    /// The header lines: the fields of the request, then those of the service. Only the service's origin gets them.
    private func fields(_ settings: UpstreamSettings) -> [String] {
        var lines: [String] = []
        var names: Set<String> = ["content-type"]
        if isSameOrigin {
            for own in [request.headers, settings.headers] {
                for (name, value) in own where names.insert(name.lowercased()).inserted {
                    if let line = FieldLine.line(name, value) { lines.append(line) }
                }
            }
            if let trace = progress?.trace, names.insert("traceparent").inserted {
                lines.append("traceparent: \(trace.traceparent)")
                if let state = trace.tracestate, names.insert("tracestate").inserted {
                    lines.append("tracestate: \(state)")
                }
            }
        }
        if !names.contains("accept") { lines.append("Accept: application/json") }
        // A name without a value keeps libcurl from adding the field by itself.
        let type = isSameOrigin ? request.contentType.flatMap { FieldLine.line("Content-Type", $0) } : nil
        lines.append(type ?? "Content-Type:")
        lines.append("Expect:")
        return lines
    }

    private func settled(_ outcome: TransferOutcome) {
        step = .waiting
        switch outcome {
        case .answered(let response, let redirect, let retryAfter):
            reportAttempt(.answered(status: response.status))
            settled(response, redirect, retryAfter)
        case .failed(let failure):
            reportAttempt(.failed(failure.code, library: failure.library))
            settled(failure)
        }
    }

    private func settled(_ response: RemoteResponse, _ redirect: String?, _ retryAfter: Duration?) {
        if RetryRule.follows(request.method, status: response.status), let redirect {
            follow(redirect)
        } else if !RetryRule.allows(isIdempotent, afterStatus: response.status)
            || !pause(retryAfter, after: .badStatus)
        {
            end(.success(response))
        }
    }

    private func settled(_ failure: TransferFailure) {
        guard let name = pool?.settings.name else { return }
        if failure.isTimeout { return endAtDeadline() }
        if RetryRule.allows(isIdempotent, after: failure.stage), pause(nil, after: failure.code) { return }
        let lead = failure.code == .unreachable ? "\(name) cannot be reached" : "\(name) gave no usable response"
        end(failure.code, "\(lead): \(failure.reason)")
    }

    private func follow(_ location: String) {
        guard let pool else { return }
        redirects += 1
        guard redirects <= Self.redirectLimit else {
            return end(.badStatus, "\(pool.settings.name) redirected more than \(Self.redirectLimit) times")
        }
        guard let address = HTTPURL(location) else {
            return end(.badStatus, "\(pool.settings.name) redirected to a URL that is neither http nor https")
        }
        // Whoever is on the way could replace the response of a call that has begun with TLS.
        let last = redirectTarget ?? pool.address
        guard address.origin.scheme == "https" || last.origin.scheme != "https" else {
            return end(.badStatus, "\(pool.settings.name) redirected from https to http")
        }
        guard address.origin == pool.address.origin || pool.settings.followsToOtherOrigins else {
            return end(.badStatus, "\(pool.settings.name) redirected to another origin")
        }
        if address.origin != pool.address.origin { isSameOrigin = false }
        redirectTarget = address
        attempt()
    }

    /// Schedules a retry.
    ///
    /// - Returns: false if no retry is left, or no time for it.
    private func pause(_ retryAfter: Duration?, after code: RemoteFailure.Code) -> Bool {
        guard let pool, let permit, retries < pool.settings.retries else { return false }
        let delay = Backoff.delay(
            beforeRetry: retries + 1, jitter: .random(in: 0...1), retryAfter: retryAfter)
        guard delay < pool.loop.now.duration(to: deadline), pool.takeRetry(permit) else { return false }
        retries += 1
        progress?.report(.retrying(attempt: retries + 1, code: code.rawValue))
        step = .pausing(pool.loop.schedule(after: delay) { self.attempt() })
        return true
    }
}
