/// Calls a closure when its last reference is released.
final class Witness: Sendable {
    private let released: @Sendable () -> Void

    init(_ released: @escaping @Sendable () -> Void) {
        self.released = released
    }

    deinit {
        released()
    }

    /// Does nothing. A closure that calls this retains the witness.
    func holds() {}
}
