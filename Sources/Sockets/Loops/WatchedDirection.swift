import Dispatch

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
