import Sockets

/// A readiness handler made of closures.
final class ScriptedHandler: ReadinessHandler {
    private let onReady: (Int32, Readiness) -> Void
    private let onStop: (Int32) -> Void

    init(_ onReady: @escaping (Int32, Readiness) -> Void, onStop: @escaping (Int32) -> Void = { _ in }) {
        self.onReady = onReady
        self.onStop = onStop
    }

    func ready(_ descriptor: Int32, _ readiness: Readiness) {
        onReady(descriptor, readiness)
    }

    func loopStopped(_ descriptor: Int32) {
        onStop(descriptor)
    }
}
