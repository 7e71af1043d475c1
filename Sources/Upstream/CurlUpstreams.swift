package import Sockets

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
    ///   - observe: gets each attempt and each change of a circuit on the loop, so it must not block.
    package init(
        implementation: LoopImplementation = .preferred, library: CurlLibrary = CurlLibrary(), userAgent: String,
        observe: (@Sendable (UpstreamEvent) -> Void)? = nil
    ) throws(SocketError) {
        let loop = try implementation.makeLoop(label: "upstream")
        self.loop = loop
        self.userAgent = userAgent
        self.observe = observe
        shared = LoopBound(handing: SharedCurl(library, on: loop), to: loop.anchor)
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

/// What all clients share on the loop: libcurl, and the pools whose calls end with it.
final class SharedCurl {
    let loop: any EventLoop
    let multi: CurlMulti
    private var pools: [UpstreamPool] = []
    private(set) var isClosed = false

    init(_ library: CurlLibrary, on loop: any EventLoop) {
        self.loop = loop
        multi = CurlMulti(library, on: loop)
    }

    func add(_ pool: UpstreamPool) {
        pools.append(pool)
    }

    /// Interrupts every call and frees libcurl's handles. Later calls are interrupted at once.
    func close() {
        isClosed = true
        for pool in pools {
            pool.interruptAll()
        }
        pools = []
        multi.close()
    }
}

/// An error in the settings of a remote service.
package enum UpstreamConfigurationError: Error, Hashable, CustomStringConvertible {
    /// Not an absolute `http` or `https` URL.
    case url
    /// A header that is not a field of RFC 9110, or one of the message's framing.
    case header(name: String)
    /// A file that cannot be read.
    case file(String, purpose: String)

    package var description: String {
        switch self {
        case .url: "the URL must be absolute, with the scheme http or https"
        case .header(let name): "the header \"\(name)\" cannot be sent"
        case .file(let path, let purpose): "the file \(path) with the \(purpose) cannot be read"
        }
    }
}
