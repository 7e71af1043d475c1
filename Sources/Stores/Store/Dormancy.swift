/// The part of a store's work that rests until the store is used.
///
/// A copy of another store shows what was. Its effects and timers would act on the world a second time, for nobody.
@usableFromInline
package enum Dormancy: Sendable {
    /// Nothing rests.
    case awake
    /// Timers are not armed before the next action of a client is committed.
    case withoutTimers
    /// Effects are not started either.
    case asleep
    /// Nor after the actions of clients: they are repeated ones.
    case replaying

    @inlinable package var isAwake: Bool { if case .awake = self { true } else { false } }

    @inlinable package var startsEffects: Bool {
        switch self {
        case .awake, .withoutTimers: true
        case .asleep, .replaying: false
        }
    }
}

extension StoreCore {
    /// Lets effects and timers rest. It does not stop those that run.
    @usableFromInline
    package func rest(_ dormancy: Dormancy) { contents.withLock { $0.pointee.dormancy = dormancy } }

    /// An action is committed.
    @usableFromInline
    func wake(for origin: Origin, _ contents: ContentsPointer) {
        if origin == .client, contents.pointee.dormancy != .replaying { contents.pointee.dormancy = .awake }
    }
}
