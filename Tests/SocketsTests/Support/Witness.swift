/// Says when the last reference to it is gone.
final class Witness: Sendable {
    private let released: @Sendable () -> Void

    init(_ released: @escaping @Sendable () -> Void) {
        self.released = released
    }

    deinit {
        released()
    }

    /// Refers to it, so that a closure which calls this keeps it.
    func holds() {}
}
