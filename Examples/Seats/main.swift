import JSON
import StoreHosting
import StorehouseServer
import Stores

struct Seats: HostedState {
    var guests: [String] = []

    func encode(into json: inout JSONWriter) {
        json.object { $0.member("guests", guests) }
    }
}

enum SeatsAction: DeclaredAction, Equatable {
    case book(String)
    case clear

    static let catalogue = ActionSchema<SeatsAction>([
        ActionDeclaration(
            "seats/book", "Books a seat; `sold-out` after the third.", fields: .text("guest", 1...80, example: "Ada"),
            embed: { .book($0) }, extract: { if case .book(let guest) = $0 { guest } else { nil } }),
        ActionDeclaration("seats/clear", "Frees all seats.", .clear),
    ])
}

struct SeatsReducer: HostedReducer {
    func decide(_ action: SeatsAction, in state: Seats) -> Decision {
        if case .book = action, state.guests.count >= 3 { .reject("sold-out") } else { .accept }
    }

    func reduce(_ state: inout Seats, _ action: SeatsAction) {
        switch action {
        case .book(let guest): state.guests.append(guest)
        case .clear: state.guests = []
        }
    }
}

try await StorehouseServer(kinds: [.store("seats", SeatsReducer.self)]).run()
