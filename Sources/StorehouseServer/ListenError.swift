import Platform
import Sockets

/// Why a server cannot listen.
struct ListenError: Error, CustomStringConvertible {
    /// The configuration key of the port.
    private let key: String
    private let address: String
    private let reason: SocketError

    init(_ key: String, _ host: String, _ port: Int, _ reason: SocketError) {
        self.key = key
        address = "\(host):\(port)"
        self.reason = reason
    }

    /// One line with the problem and its solution.
    var description: String {
        // The name of the system call says nothing more.
        guard case .system(_, let code) = reason else { return "cannot listen on \(address): \(reason)" }
        return "cannot listen on \(address): \(String(cString: strerror(code)))\(hint(code))"
    }

    private func hint(_ code: Int32) -> String {
        switch code {
        case EADDRINUSE:
            "; stop the process that listens there, or set another \(key)"
                + (key == "http.port" ? " (0 takes a free one)" : "")
        case EACCES: "; ports below 1024 need a privilege, so set another \(key)"
        case EADDRNOTAVAIL: "; set http.host to an address of this machine"
        default: ""
        }
    }
}
