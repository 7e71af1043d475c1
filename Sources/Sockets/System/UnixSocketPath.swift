import Platform

/// The path of a Unix socket: absolute, and short enough for the system.
package struct UnixSocketPath: Sendable, Hashable, CustomStringConvertible {
    /// The longest path in bytes. The system adds a zero.
    package static let maxBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    package let text: String

    /// Nil for a relative path, for one that is too long, and for one with a zero in it.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= Self.maxBytes, !bytes.contains(0) else { return nil }
        self.text = text
    }

    /// As configuration and log name it: `unix:/run/storehouse.sock`.
    package var description: String { "unix:\(text)" }

    /// Calls `body` with the address, for a system call.
    func withSockaddr<Result, Failure: Error>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text.utf8) }
        return try withUnsafePointer(to: &address) { pointer throws(Failure) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bare throws(Failure) in
                try body(bare, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
