import Curl
import Sockets

/// libcurl and the pools of one loop, which all clients on the loop share. The calls of the pools end with it.
final class SharedCurl {
    let loop: any EventLoop
    private var library: CurlLibrary
    private let connectionAge: Duration
    private var multis: [CurlMulti] = []
    private var pools: [UpstreamPool] = []
    private(set) var isClosed = false

    init(_ library: CurlLibrary, connectionAge: Duration, on loop: any EventLoop) {
        self.loop = loop
        self.connectionAge = connectionAge
        self.library = library
    }

    /// Starts a transfer. Its completion is called in a later turn of the loop.
    ///
    /// The first multi handle with room takes it, so that few transfers share one handle and its idle connections. One that is
    /// too old gets no more transfers, and so its connections end.
    func start(_ transfer: CurlTransfer) {
        if let multi = multis.first(where: { $0.makesRoom() }) { return multi.start(transfer) }
        let multi = CurlMulti(on: loop, maxAge: connectionAge) { self.library.load().map { TransferFailure($0) } }
        multis.append(multi)
        multi.start(transfer)
    }

    /// Uses no connection any more that is there now, except for the transfers that it carries, and no certificates that
    /// libcurl has read.
    func expireConnections() {
        for multi in multis { multi.expire() }
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
        for multi in multis { multi.close() }
        multis = []
    }
}
