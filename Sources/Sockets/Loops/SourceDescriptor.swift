import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

/// A duplicate of a watched descriptor, for the sources alone.
///
/// A source's descriptor must stay open until its cancellation is complete, which is later than the loop promises
/// to be done with the original. So the sources get one of their own, closed when the last of them has let go.
final class SourceDescriptor: Sendable {
    let number: Int32
    private let group: DispatchGroup

    /// - Parameter group: entered until the duplicate is closed.
    init(duplicating descriptor: Int32, group: DispatchGroup) throws(SocketError) {
        number = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw .system(call: "fcntl", code: errno) }
        self.group = group
        group.enter()
    }

    deinit {
        SystemSocket.shut(number)
        group.leave()
    }
}
