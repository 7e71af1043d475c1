import JSON
public import StoreHosting
public import Stores

extension TrafficLight {
    /// The middleware of a light: it sets the time of each action, and runs a timer for the next change.
    public static func middleware(
        clock: any StoreClock = SystemClock()
    ) -> [any Middleware<TrafficLight, TrafficLightAction>] {
        let timers = Timers<TrafficLight, TrafficLightAction>("traffic-light") { light in
            light.deadline.map { [StateTimer("traffic-light.phase", at: $0, TrafficLightAction(.endPhase, at: $0))] }
                ?? []
        }
        return [Arrival(clock), timers]
    }

    /// Traffic lights for a server: `try await StorehouseServer(kinds: [TrafficLight.kind()]).run()`.
    ///
    /// - Parameter clock: the clock of the environment of the stores.
    public static func kind(clock: any StoreClock = SystemClock()) -> StoreKind {
        .store(
            "traffic-light", summary: "A traffic light with a button for pedestrians.",
            reducer: TrafficLightReducer(), middleware: middleware(clock: clock),
            selectors: [Selector("lamps", "The lamps that are lit.") { $0.lamps }])
    }
}

extension TrafficLight: HostedState {
    /// A light that is off.
    public init() { self = .off }

    public func encode(into json: inout JSONWriter) {
        json.object { json in
            switch self {
            case .off:
                json.member("mode", "off")
            case .running(let phase, let moment):
                json.member("mode", "running")
                json.member("phase", phase)
                json.member("until", moment)
            case .faulty(let isLit, let moment):
                json.member("mode", "faulty")
                json.member("isLit", isLit)
                json.member("until", moment)
            }
        }
    }
}

extension TrafficLight: Restorable {
    public init(restoring persisted: PersistedValue) throws(RestorationError) {
        let mode: String = try persisted.member("mode")
        switch mode {
        case "off": self = .off
        case "running":
            self = .running(try persisted.member("phase"), until: try persisted.member("until", in: Self.moments))
        case "faulty":
            self = .faulty(isLit: try persisted.member("isLit"), until: try persisted.member("until", in: Self.moments))
        default: throw persisted.unreadable("is none of the modes that there are", below: "mode")
        }
    }

    /// The accepted times.
    private static let moments = 0...Int.max / 2
}

/// An interceptor that sets the time of each action, so the reducer needs no clock and does not trust the sender's.
public struct Arrival: Interceptor {
    private let clock: any StoreClock

    /// - Parameter clock: the clock of the store.
    public init(_ clock: any StoreClock) { self.clock = clock }

    public func intercept(
        _ action: TrafficLightAction, in light: TrafficLight
    ) -> Interception<TrafficLightAction> {
        .replace(TrafficLightAction(action.event, at: clock.now()))
    }

    public func respond(
        to commit: borrowing Commit<TrafficLight, TrafficLightAction>
    ) -> Effect<TrafficLightAction> { .none }
}
