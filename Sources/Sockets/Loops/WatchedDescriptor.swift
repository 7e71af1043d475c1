import Dispatch
import Platform

/// The two directions of one watched descriptor.
final class WatchedDescriptor {
    let input: WatchedDirection
    let output: WatchedDirection
    /// A turn that reports the hang-up is already queued.
    var isHangUpQueued = false
    private let descriptor: SourceDescriptor

    init(input: SourceDescriptor, output: SourceDescriptor) {
        self.input = WatchedDirection(.readable, input)
        self.output = WatchedDirection(.writable, output)
        descriptor = input
    }

    /// Whether the interest is not empty.
    var hasInterest: Bool { input.isOn || output.isOn }

    /// Whether both directions have ended, or an error is pending.
    var isHungUp: Bool {
        var query = pollfd(fd: descriptor.number, events: 0, revents: 0)
        return poll(&query, 1, 0) > 0
    }

    func cancel() {
        input.cancel()
        output.cancel()
    }
}

/// The dispatch source of one direction of a descriptor: created on the first interest, suspended without interest.
///
/// Each direction has its own duplicate of the descriptor. On Linux, Dispatch has one registration for all sources of a
/// descriptor, and a read source that joins a write source there may be registered for writing and never get events.
final class WatchedDirection {
    private let readiness: Readiness
    private let descriptor: SourceDescriptor
    private var source: (any DispatchSourceProtocol)?
    private(set) var isOn = false

    init(_ readiness: Readiness, _ descriptor: SourceDescriptor) {
        self.readiness = readiness
        self.descriptor = descriptor
    }

    func turn(on: Bool, queue: DispatchQueue, _ notify: @escaping @Sendable (Readiness) -> Void) {
        guard on != isOn else { return }
        isOn = on
        if let source {
            if on { source.resume() } else { source.suspend() }
        } else {
            start(queue, notify)
        }
    }

    private func start(_ queue: DispatchQueue, _ notify: @escaping @Sendable (Readiness) -> Void) {
        let source: any DispatchSourceProtocol =
            readiness == .readable
            ? DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
            : DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
        source.setEventHandler { [readiness] in notify(readiness) }
        // The descriptor must outlive the source. Dispatch releases this closure when the cancellation is complete.
        source.setCancelHandler { [descriptor] in withExtendedLifetime(descriptor) {} }
        source.activate()
        self.source = source
    }

    func cancel() {
        source?.cancel()
        // A suspended source does not complete its cancellation.
        if !isOn { source?.resume() }
        isOn = true
        source = nil
    }
}

/// A duplicate of a watched descriptor for a dispatch source.
///
/// A source's descriptor must stay open until the cancellation is complete, but `unwatch` promises that the loop is
/// done with the original when it returns. So each source has a duplicate, which is closed when the last reference is
/// released.
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
        SystemSocket.close(number)
        group.leave()
    }
}
