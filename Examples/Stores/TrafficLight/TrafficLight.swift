public import Stores

/// A traffic light for cars, at a crossing with a button for pedestrians.
///
/// Times are milliseconds since 1970. They mean the same after a restart, so the light continues.
public enum TrafficLight: Sendable, Equatable {
    /// The light is off.
    case off
    /// The light shows a phase until this time.
    case running(Phase, until: Int)
    /// The light is out of order. The yellow lamp flashes, and switches at this time.
    case faulty(isLit: Bool, until: Int)

    /// The signal for cars, named by its lamp.
    public enum Phase: String, Sendable {
        case red, green, yellow
    }
}

extension TrafficLight.Phase {
    /// The duration in milliseconds.
    public var duration: Int {
        switch self {
        case .red: 20_000
        case .green: 60_000
        case .yellow: 3_000
        }
    }

    /// The next phase.
    public var next: TrafficLight.Phase {
        switch self {
        case .red: .green
        case .green: .yellow
        case .yellow: .red
        }
    }
}

extension TrafficLight {
    /// The lamps that are lit.
    public var lamps: [Phase] {
        switch self {
        case .running(let phase, _): [phase]
        case .faulty(isLit: true, _): [.yellow]
        case .off, .faulty: []
        }
    }

    /// The time of the next change; nil if there is none.
    public var deadline: Int? {
        switch self {
        case .off: nil
        case .running(_, let moment), .faulty(_, let moment): moment
        }
    }
}

/// An event of a traffic light with its time.
public struct TrafficLightAction: Sendable, Equatable {
    /// The event.
    public enum Event: String, Sendable, CaseIterable {
        case switchOn, switchOff, pressButton, fail, repair
        /// The time of the next change has come.
        case endPhase
    }

    /// The event.
    public let event: Event
    /// The time in milliseconds since 1970.
    public let moment: Int

    /// - Parameter moment: milliseconds since 1970. ``Arrival`` replaces it.
    public init(_ event: Event, at moment: Int = 0) {
        self.event = event
        self.moment = moment
    }
}

/// The rules of a traffic light.
///
/// It reads no clock: each action has its time, so the same actions always lead to the same light.
public struct TrafficLightReducer: Reducer {
    /// The maximum time in milliseconds that pedestrians wait while cars have green.
    public static let patience = 5_000
    /// The time in milliseconds that the yellow lamp is on, and off, while the light is out of order.
    public static let flash = 1_000

    /// A reducer without parameters.
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

    /// The light after an action; nil if it does not change.
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
