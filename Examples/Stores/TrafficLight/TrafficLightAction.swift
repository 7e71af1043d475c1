public import StoreHosting
import Stores

/// Something that happens to a traffic light, and when.
public struct TrafficLightAction: Sendable, Equatable {
    /// What happens.
    public enum Event: String, Sendable, CaseIterable {
        case switchOn, switchOff, pressButton, fail, repair
        /// The moment has come until which the light was to stay as it is.
        case endPhase
    }

    /// What happens.
    public let event: Event
    /// When it happens, in milliseconds since 1970.
    public let moment: Int

    /// - Parameter moment: milliseconds since 1970; ``Arrival`` puts the time in its place.
    public init(_ event: Event, at moment: Int = 0) {
        self.event = event
        self.moment = moment
    }
}

extension TrafficLightAction: DeclaredAction {
    /// One declaration for each event.
    public static let catalogue = ActionSchema<TrafficLightAction>(Event.allCases.map(declaration))

    private static func declaration(of event: Event) -> ActionDeclaration<TrafficLightAction> {
        ActionDeclaration(
            "traffic-light/\(event.rawValue)", event.summary, audience: event == .endPhase ? .internal : .client,
            fields: .integer("moment", atLeast: 0, example: 0).defaulting(to: 0)
                .described("When it happens. The light's own clock says, whatever a client sends."),
            embed: { TrafficLightAction(event, at: $0) },
            extract: { $0.event == event ? $0.moment : nil })
    }
}

extension TrafficLightAction.Event {
    fileprivate var summary: String {
        switch self {
        case .switchOn: "Switches the light on; it begins with red."
        case .switchOff: "Switches the light off."
        case .pressButton: "Lets pedestrians walk soon; `switched-off` or `out-of-order` where nobody can see to it."
        case .fail: "Tells that something is broken: yellow flashes. `switched-off` where it is."
        case .repair: "Tells that all works again; the light begins with red."
        case .endPhase: "The time of what is shown is over."
        }
    }
}
