import Dispatch
import Platform

/// The two directions of one watched descriptor.
final class WatchedDescriptor {
    let input: WatchedDirection
    let output: WatchedDirection
    /// A turn that tells the hang-up is already queued.
    var isHangUpOnItsWay = false
    private let descriptor: SourceDescriptor

    init(input: SourceDescriptor, output: SourceDescriptor) {
        self.input = WatchedDirection(.readable, input)
        self.output = WatchedDirection(.writable, output)
        descriptor = input
    }

    /// Whether anyone wants to hear anything.
    var isListening: Bool { input.isOn || output.isOn }

    /// Whether both directions have ended, or an error waits.
    var isHungUp: Bool {
        var question = pollfd(fd: descriptor.number, events: 0, revents: 0)
        return poll(&question, 1, 0) > 0
    }

    func cancel() {
        input.cancel()
        output.cancel()
    }
}

/// The source of one direction of a descriptor: made with the first interest in it, and suspended without one.
///
/// Each direction has a descriptor of its own. On Linux, Dispatch keeps one note for all sources of a descriptor, and
/// a read source that joins a write source there may be entered as a writer and never hear of input.
final class WatchedDirection {
    private let readiness: Readiness
    private let descriptor: SourceDescriptor
    private var source: (any DispatchSourceProtocol)?
    private(set) var isOn = false

    init(_ readiness: Readiness, _ descriptor: SourceDescriptor) {
        self.readiness = readiness
        self.descriptor = descriptor
    }

    func turn(on: Bool, queue: DispatchQueue, _ tell: @escaping @Sendable (Readiness) -> Void) {
        guard on != isOn else { return }
        isOn = on
        if let source {
            if on { source.resume() } else { source.suspend() }
        } else {
            start(queue, tell)
        }
    }

    private func start(_ queue: DispatchQueue, _ tell: @escaping @Sendable (Readiness) -> Void) {
        let source: any DispatchSourceProtocol =
            readiness == .readable
            ? DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
            : DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
        source.setEventHandler { [readiness] in tell(readiness) }
        // The descriptor must outlive the source: Dispatch lets go of this when the cancellation is complete.
        source.setCancelHandler { [descriptor] in withExtendedLifetime(descriptor) {} }
        source.activate()
        self.source = source
    }

    func cancel() {
        source?.cancel()
        // A suspended source would never be cancelled.
        if !isOn { source?.resume() }
        isOn = true
        source = nil
    }
}

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
