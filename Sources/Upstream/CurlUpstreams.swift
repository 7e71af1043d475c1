package import Sockets

/// Makes the clients of remote services. All of them share one event loop, and libcurl on it.
package final class CurlUpstreams: Sendable {
    private let loop: any EventLoop
    private let hub: LoopBound<UpstreamHub>
    private let userAgent: String
    private let observe: (@Sendable (UpstreamEvent) -> Void)?

    /// Starts the loop.
    /// - Parameters:
    ///   - implementation: what the loop waits with.
    ///   - library: where libcurl is; loaded when the first call is made.
    ///   - userAgent: who calls, as in `storehouse/1.0`.
    ///   - observe: told of each attempt and each change of a circuit, on the loop: it must not block.
    package init(
        implementation: LoopImplementation = .preferred, library: CurlLibrary = CurlLibrary(), userAgent: String,
        observe: (@Sendable (UpstreamEvent) -> Void)? = nil
    ) throws(SocketError) {
        let loop = try implementation.makeLoop(label: "upstream")
        self.loop = loop
        self.userAgent = userAgent
        self.observe = observe
        hub = LoopBound(handing: UpstreamHub(library, on: loop), to: loop.anchor)
    }

    deinit {
        let hub = hub
        loop.execute { hub.value.close() }
        loop.stop {}
    }

    /// A client for one service. Its breaker, its line and its budget are its own, so make one for each service.
    package func client(for settings: UpstreamSettings) throws(UpstreamConfigurationError) -> CurlClient {
        let address = try settings.address()
        let meter = UpstreamMetrics(settings.name)
        let line = LoopBound(
            handing: UpstreamPool(
                settings, address: address, userAgent: userAgent, hub: hub, meter: meter, observe: observe),
            to: loop.anchor)
        let hub = hub
        loop.execute { hub.value.add(line.value) }
        return CurlClient(settings, line: line, meter: meter, loop: loop, owner: self)
    }

    /// Interrupts every call, closes every connection and ends the loop. Calls from here on are interrupted at once.
    package func shutdown() async {
        let hub = hub
        loop.execute { hub.value.close() }
        await loop.stop()
    }
}

/// What all remote services share, on the loop: libcurl, and the list of who has to be told when it ends.
final class UpstreamHub {
    let loop: any EventLoop
    let multi: CurlMulti
    private var lines: [UpstreamPool] = []
    private(set) var isClosed = false

    init(_ library: CurlLibrary, on loop: any EventLoop) {
        self.loop = loop
        multi = CurlMulti(library, on: loop)
    }

    func add(_ line: UpstreamPool) {
        lines.append(line)
    }

    /// Interrupts every call and frees what libcurl holds. Calls from here on are interrupted at once.
    func close() {
        isClosed = true
        for line in lines {
            line.interruptAll()
        }
        lines = []
        multi.close()
    }
}

/// Why a remote service cannot be called as it is configured.
package enum UpstreamConfigurationError: Error, Hashable, CustomStringConvertible {
    /// Not an absolute `http` or `https` URL.
    case url
    /// A header that cannot be sent: not a field of RFC 9110, or one that frames the message.
    case header(name: String)
    /// A file that cannot be read, named with what it is for.
    case file(String, purpose: String)

    package var description: String {
        switch self {
        case .url: "the URL must be absolute, with the scheme http or https"
        case .header(let name): "the header \"\(name)\" cannot be sent"
        case .file(let path, let purpose): "the file \(path) of the \(purpose) cannot be read"
        }
    }
}
