public import Stores

/// The rules of a traffic light.
///
/// It asks no clock: the action tells the time, so the same actions always lead to the same light.
public struct TrafficLightReducer: Reducer {
    /// How long pedestrians wait at most while cars have green, in milliseconds.
    public static let patience = 5_000
    /// How long the yellow lamp is lit and dark where the light is out of order, in milliseconds.
    public static let flash = 1_000

    /// A reducer without anything to choose.
    public init() {}

    public func decide(_ action: TrafficLightAction, in light: TrafficLight) -> Decision {
        switch (light, action.event) {
        case (.off, .pressButton), (.off, .fail): .reject("switched-off")
        case (.faulty, .pressButton): .reject("out-of-order")
        default: Self.next(light, action) == nil ? .ignore : .accept
        }
    }

    public func reduce(_ light: inout TrafficLight, _ action: TrafficLightAction) {
        if let next = Self.next(light, action) { light = next }
    }

    /// What comes after `light`; nil where it stays as it is.
    private static func next(_ light: TrafficLight, _ action: TrafficLightAction) -> TrafficLight? {
        let now = action.moment
        switch (light, action.event) {
        case (.off, .switchOn), (.faulty, .repair):
            return begin(.red, at: now)
        case (.running, .switchOff), (.faulty, .switchOff):
            return .off
        case (.running, .fail):
            return .faulty(isLit: true, until: now + flash)
        case (.running(.green, let end), .pressButton) where now + patience < end:
            return .running(.green, until: now + patience)
        case (.running(let phase, let end), .endPhase) where end <= now:
            return begin(phase.next, at: now)
        case (.faulty(let isLit, let end), .endPhase) where end <= now:
            return .faulty(isLit: !isLit, until: now + flash)
        default:
            return nil
        }
    }

    private static func begin(_ phase: TrafficLight.Phase, at moment: Int) -> TrafficLight {
        .running(phase, until: moment + phase.duration)
    }
}
