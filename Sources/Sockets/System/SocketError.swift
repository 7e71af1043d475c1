#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

/// Why the operating system, or a loop that has ended, refused a socket operation.
package enum SocketError: Error, Hashable, CustomStringConvertible {
    /// A system call failed with this `errno`.
    case system(call: String, code: Int32)
    /// A host name or port could not be turned into an address.
    case unresolved(host: String, reason: String)
    /// The event loop has been stopped.
    case loopStopped

    package var description: String {
        switch self {
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        case .unresolved(let host, let reason): "cannot resolve \(host): \(reason)"
        case .loopStopped: "the event loop has been stopped"
        }
    }
}
