import Sockets

/// What all remote services share, on the loop: libcurl, and the list of who has to be told when it ends.
final class UpstreamHub {
    let loop: any EventLoop
    let multi: CurlMulti
    private var lines: [UpstreamLine] = []
    private(set) var isClosed = false

    init(_ library: CurlLibrary, on loop: any EventLoop) {
        self.loop = loop
        multi = CurlMulti(library, on: loop)
    }

    func add(_ line: UpstreamLine) {
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
