#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

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
