public import Stores

/// Writes the time into each action on its way to the reducer, which needs no clock then and believes no sender's.
public struct Arrival: Interceptor {
    private let clock: any StoreClock

    /// - Parameter clock: the one that the store's timers wait by.
    public init(_ clock: any StoreClock) { self.clock = clock }

    public func intercept(
        _ action: TrafficLightAction, in light: TrafficLight
    ) -> Interception<TrafficLightAction> {
        .replace(TrafficLightAction(action.event, at: clock.now()))
    }
}
