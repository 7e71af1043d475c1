import RemoteServices
import Sockets
import Stores

extension RemoteCall {
    private static let mostRedirects = 5

    /// Sends the request.
    func attempt() {
        guard let line else { return }
        let left = line.loop.now.duration(to: deadline)
        guard left > .zero else { return endLate() }
        guard let address = elsewhere ?? ownAddress(line) else {
            return end(.unreachable, "\(line.settings.name) cannot be reached: the request cannot be sent")
        }
        attemptBegan = line.loop.now
        let transfer = CurlTransfer(
            TransferRequest(
                method: request.method, address: address, fields: fields(line.settings),
                body: request.body, timeout: left, reusesConnection: retries == 0, isTrusted: isTrusted,
                settings: line.settings, userAgent: line.userAgent)
        ) { self.settled($0) }
        step = .attempting(transfer)
        line.multi.start(transfer)
    }

    /// The service's address with what the request adds to it; nil where that is not as it must be.
    private func ownAddress(_ line: UpstreamPool) -> HTTPURL? {
        let areSound = request.headers.allSatisfy { !FieldLine.isFraming($0) && FieldLine.line($0, $1) != nil }
        guard areSound, !request.method.isEmpty, request.method.utf8.allSatisfy(FieldLine.isToken) else { return nil }
        return request.target.map(line.address.appending) ?? line.address
    }

    private var isIdempotent: Bool { request.isIdempotent ?? RetryRule.isIdempotent(request.method) }

    /// The header lines: the service's own, and the request's own over them, only to the service's origin.
    private func fields(_ settings: UpstreamSettings) -> [String] {
        var lines: [String] = []
        var names: Set<String> = ["content-type"]
        if isTrusted {
            for own in [request.headers, settings.headers] {
                for (name, value) in own where names.insert(name.lowercased()).inserted {
                    if let line = FieldLine.line(name, value) { lines.append(line) }
                }
            }
            if let trace = progress?.trace, names.insert("traceparent").inserted {
                lines.append("traceparent: \(trace.traceparent)")
            }
        }
        if !names.contains("accept") { lines.append("Accept: application/json") }
        // Without a value libcurl leaves the field out, where it would make one up.
        let type = request.contentType.flatMap { FieldLine.line("Content-Type", $0) }
        lines.append(type ?? "Content-Type:")
        lines.append("Expect:")
        return lines
    }

    private func settled(_ outcome: TransferOutcome) {
        step = .waiting
        switch outcome {
        case .answered(let answer):
            tellAttempt(.answered(status: answer.status))
            settled(answer)
        case .failed(let failure):
            tellAttempt(.failed(failure.code, library: failure.library))
            settled(failure)
        }
    }

    private func settled(_ answer: TransferResponse) {
        if RetryRule.follows(request.method, status: answer.status), let location = answer.location {
            follow(location)
        } else if !RetryRule.allows(isIdempotent, afterStatus: answer.status)
            || !pause(answer.retryAfter, after: .badStatus)
        {
            end(
                .success(
                    RemoteResponse(
                        status: answer.status, contentType: answer.contentType,
                        headers: RemoteHeaders(section: answer.headers), body: answer.body)))
        }
    }

    private func settled(_ failure: TransferFailure) {
        guard let name = line?.settings.name else { return }
        if failure.isLate { return endLate() }
        if RetryRule.allows(isIdempotent, after: failure.breakage), pause(nil, after: failure.code) { return }
        let lead = failure.code == .unreachable ? "\(name) cannot be reached" : "\(name) gave no usable answer"
        end(failure.code, "\(lead): \(failure.reason)")
    }

    private func follow(_ location: String) {
        guard let line else { return }
        redirects += 1
        guard redirects <= Self.mostRedirects else {
            return end(.badStatus, "\(line.settings.name) redirected more than \(Self.mostRedirects) times")
        }
        guard let address = HTTPURL(location) else {
            return end(.badStatus, "\(line.settings.name) redirected to what is neither http nor https")
        }
        if address.origin != line.address.origin { isTrusted = false }
        elsewhere = address
        attempt()
    }

    /// Waits, then tries again.
    /// - Returns: false if there is no retry left, or no time for it.
    private func pause(_ retryAfter: Duration?, after code: RemoteFailure.Code) -> Bool {
        guard let line, let permit, retries < line.settings.retries else { return false }
        let delay = Backoff.delay(
            beforeRetry: retries + 1, jitter: .random(in: 0...1), retryAfter: retryAfter)
        guard delay < line.loop.now.duration(to: deadline), line.takeRetry(permit) else { return false }
        retries += 1
        progress?.report(.retrying(attempt: retries + 1, code: code.rawValue))
        step = .pausing(line.loop.schedule(after: delay) { self.attempt() })
        return true
    }
}
