public import StoreHosting
import Stores

/// A traffic light for cars, at a crossing with a button for pedestrians.
///
/// Moments are milliseconds since 1970: they mean the same after a restart, and the light goes on from where it was.
public enum TrafficLight: Sendable, Equatable {
    /// It is dark.
    case off
    /// It shows a phase until that moment.
    case running(Phase, until: Int)
    /// It is out of order: the yellow lamp flashes, and is switched again at that moment.
    case faulty(isLit: Bool, until: Int)

    /// What cars see, and the lamp that shows it.
    public enum Phase: String, Sendable, JSONEncodable, Restorable {
        case red, green, yellow
    }
}

extension TrafficLight.Phase {
    /// How long it lasts, in milliseconds.
    public var duration: Int {
        switch self {
        case .red: 20_000
        case .green: 60_000
        case .yellow: 3_000
        }
    }

    /// The phase that follows.
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

    /// When the light changes by itself; nil where it does not.
    public var deadline: Int? {
        switch self {
        case .off: nil
        case .running(_, let moment), .faulty(_, let moment): moment
        }
    }
}
