import Platform
import Sockets

/// Why a server cannot listen.
struct ListenError: Error, CustomStringConvertible {
    /// The configuration key of the address.
    private let key: String
    private let address: String
    private let reason: SocketError

    init(_ key: String, _ address: String, _ reason: SocketError) {
        self.key = key
        self.address = address
        self.reason = reason
    }

    /// One line with the problem and its solution.
    var description: String {
        // The name of the system call says nothing more.
        guard case .system(_, let code) = reason else { return "cannot listen on \(address): \(reason)" }
        return "cannot listen on \(address): \(String(cString: strerror(code)))\(hint(code))"
    }

    private var isFile: Bool { address.hasPrefix("unix:") }

    private func hint(_ code: Int32) -> String {
        switch code {
        case EADDRINUSE:
            "; stop the process that listens there, or set another \(key)"
                + (key == "http.port" ? " (0 takes a free one)" : "")
        case EACCES where isFile: "; this user cannot write to its directory"
        case EACCES: "; ports below 1024 need a privilege, so set another \(key)"
        case EADDRNOTAVAIL: "; set http.host to an address of this machine"
        case ENOENT: "; make its directory first, or set another \(key)"
        case ENOTSOCK: "; a file that is no socket is not replaced, so remove it, or set another \(key)"
        default: ""
        }
    }
}
