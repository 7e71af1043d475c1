package import Curl
import Locks
package import RemoteServices
package import Sockets
import Stores
import Threads

/// Calls one remote service through libcurl.
///
/// A call blocks no thread. It ends within the deadline of its settings whatever the service does, and at once if it is
/// cancelled, which closes its connection. `RetryRule` decides which calls are retried; `CircuitBreaker` and the limits of
/// `UpstreamSettings` decide which are refused. A call reports its service, each retry and its failure to the effect that
/// makes it.
package final class CurlClient: RemoteClient {
    private let settings: UpstreamSettings
    private let pool: LoopBound<UpstreamPool>
    private let counters: UpstreamMetrics
    private let loop: any EventLoop
    /// Keeps the loop running as long as a client exists.
    private let owner: CurlUpstreams

    init(
        _ settings: UpstreamSettings, pool: LoopBound<UpstreamPool>, counters: UpstreamMetrics, loop: any EventLoop,
        owner: CurlUpstreams
    ) {
        self.settings = settings
        self.pool = pool
        self.counters = counters
        self.loop = loop
        self.owner = owner
    }

    package func call(_ request: RemoteRequest) async throws(RemoteFailure) -> RemoteResponse {
        let progress = EffectContext.current
        progress?.report(.calling(settings.name))
        let outcome = Promise<RemoteCall.Outcome>()
        let call = makeCall(request, progress, outcome)
        let result = await withTaskCancellationHandler {
            if !enter(call) { outcome.fulfill(.failure(.stopping)) }
            return await outcome.value()
        } onCancel: {
            cancel(call)
        }
        if case .failure(let failure) = result { progress?.report(.failed(code: failure.effectCode)) }
        progress?.callEnded()
        return try result.get()
    }

    package func reportUnusableResponse(_ failure: RemoteFailure) {
        counters.count(failure.code)
    }

    /// The metrics at this moment.
    package var metrics: UpstreamMetricsSnapshot { counters.snapshot }

    private func makeCall(
        _ request: RemoteRequest, _ progress: EffectContext?, _ outcome: Promise<RemoteCall.Outcome>
    ) -> LoopBound<RemoteCall> {
        let timeout = min(request.timeout ?? settings.timeout, settings.timeout)
        return LoopBound(handing: RemoteCall(request, timeout: timeout, progress, outcome), to: loop.anchor)
    }

    /// - Returns: false if the loop has ended.
    private func enter(_ call: LoopBound<RemoteCall>) -> Bool {
        let pool = pool
        return loop.execute {
            guard call.value.join(pool.value) else { return }
            pool.value.enter(call.value)
        }
    }

    private func cancel(_ call: LoopBound<RemoteCall>) {
        loop.execute { call.value.end(.cancelled) }
    }
}

/// Makes the clients of remote services. They share one event loop and libcurl on it.
package final class CurlUpstreams: Sendable {
    private let loop: any EventLoop
    private let shared: LoopBound<SharedCurl>
    private let userAgent: String
    private let observe: (@Sendable (UpstreamEvent) -> Void)?

    /// Starts the loop.
    ///
    /// - Parameters:
    ///   - implementation: the system call that the loop waits with.
    ///   - library: libcurl; loaded for the first call.
    ///   - userAgent: the `User-Agent` field of every request, such as `storehouse/1.0`.
    ///   - connectionAge: after which time a connection begins no more calls, so that calls follow the address of a name.
    ///   - observe: gets each attempt and each change of a circuit on the loop, so it must not block.
    package init(
        implementation: LoopImplementation = .preferred, library: CurlLibrary = CurlLibrary(), userAgent: String,
        connectionAge: Duration = .seconds(60),
        observe: (@Sendable (UpstreamEvent) -> Void)? = nil
    ) throws(SocketError) {
        let loop = try implementation.makeLoop(label: "upstream")
        self.loop = loop
        self.userAgent = userAgent
        self.observe = observe
        shared = LoopBound(handing: SharedCurl(library, connectionAge: connectionAge, on: loop), to: loop.anchor)
    }

    deinit {
        let shared = shared
        loop.execute { shared.value.close() }
        loop.stop {}
    }

    /// Makes the client of one service. Each client has its own circuit breaker, queue and retry budget.
    package func client(for settings: UpstreamSettings) throws(UpstreamConfigurationError) -> CurlClient {
        let address = try settings.address()
        let counters = UpstreamMetrics(settings.name)
        let pool = LoopBound(
            handing: UpstreamPool(
                settings, address: address, userAgent: userAgent, shared: shared, counters: counters, observe: observe),
            to: loop.anchor)
        let shared = shared
        loop.execute { shared.value.add(pool.value) }
        return CurlClient(settings, pool: pool, counters: counters, loop: loop, owner: self)
    }

    /// Interrupts every call, closes every connection and stops the loop. Later calls are interrupted at once.
    package func shutdown() async {
        let shared = shared
        loop.execute { shared.value.close() }
        await loop.stop()
    }
}
