package import RemoteServices
import Sockets
import Stores

/// Calls one remote service through libcurl.
///
/// A call takes no thread. It ends within the deadline of its settings, whatever the service does, and at once when it
/// is cancelled: the connection is closed then. Which calls are tried again, and which are refused without a try, is
/// told at `RetryRule`, `CircuitBreaker` and `UpstreamSettings`. To the effect that makes it, a call reports its service, each
/// further try, and its failure.
package final class CurlClient: RemoteClient {
    private let settings: UpstreamSettings
    private let line: LoopBound<UpstreamPool>
    private let meter: UpstreamMetrics
    private let loop: any EventLoop
    /// The loop runs as long as there is a client.
    private let owner: CurlUpstreams

    init(
        _ settings: UpstreamSettings, line: LoopBound<UpstreamPool>, meter: UpstreamMetrics, loop: any EventLoop,
        owner: CurlUpstreams
    ) {
        self.settings = settings
        self.line = line
        self.meter = meter
        self.loop = loop
        self.owner = owner
    }

    package func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteResponse {
        let progress = EffectContext.current
        progress?.report(.calling(settings.name))
        let call = makeCall(request, progress)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enter(call) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            cancel(call)
        }
        if case .failure(let failure) = result { progress?.report(.failed(code: failure.effectCode)) }
        return try result.get()
    }

    /// Calls without a task.
    ///
    /// - Parameter completion: called once, on the loop that all clients share, so it must not block.
    /// - Returns: what cancels the call, from any thread; its failure is then `interrupted`.
    @discardableResult
    package func call(
        _ request: RemoteRequest,
        completion: @escaping @Sendable (Result<RemoteResponse, RemoteFailure>) -> Void
    ) -> @Sendable () -> Void {
        let call = makeCall(request)
        enter(call, completion)
        return { self.cancel(call) }
    }

    package func reportUnusableResponse(_ failure: RemoteFailure) {
        meter.count(failure.code)
    }

    /// What has been counted so far.
    package var numbers: UpstreamMetricsSnapshot { meter.numbers }

    private func makeCall(_ request: RemoteRequest, _ progress: EffectContext? = nil) -> LoopBound<RemoteCall> {
        let timeout = min(request.timeout ?? settings.timeout, settings.timeout)
        return LoopBound(handing: RemoteCall(request, timeout: timeout, progress), to: loop.anchor)
    }

    private func enter(_ call: LoopBound<RemoteCall>, _ completion: @escaping RemoteCall.Completion) {
        let line = line
        let isAccepted = loop.execute {
            guard call.value.join(line.value, completion) else { return }
            line.value.enter(call.value)
        }
        if !isAccepted { completion(.failure(.stopping)) }
    }

    private func cancel(_ call: LoopBound<RemoteCall>) {
        loop.execute { call.value.end(.cancelled) }
    }
}
