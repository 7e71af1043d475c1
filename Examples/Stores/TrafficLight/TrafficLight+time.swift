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
