import Dispatch

/// The sources of one watched descriptor: made when an interest comes, cancelled when it goes.
final class WatchedDescriptor {
    private let descriptor: SourceDescriptor
    private var reader: (any DispatchSourceRead)?
    private var writer: (any DispatchSourceWrite)?

    init(_ descriptor: SourceDescriptor) {
        self.descriptor = descriptor
    }

    func setInterest(_ interest: Interest, queue: DispatchQueue, _ tell: @escaping @Sendable (Readiness) -> Void) {
        if !interest.contains(.readable) {
            reader?.cancel()
            reader = nil
        } else if reader == nil {
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.number, queue: queue)
            source.setEventHandler { tell(.readable) }
            source.setCancelHandler { [descriptor] in withExtendedLifetime(descriptor) {} }
            source.activate()
            reader = source
        }
        if !interest.contains(.writable) {
            writer?.cancel()
            writer = nil
        } else if writer == nil {
            let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
            source.setEventHandler { tell(.writable) }
            source.setCancelHandler { [descriptor] in withExtendedLifetime(descriptor) {} }
            source.activate()
            writer = source
        }
    }

    func cancel() {
        reader?.cancel()
        writer?.cancel()
        reader = nil
        writer = nil
    }
}
