import JSON
import RemoteServices
import RemoteTesting
import StoreHosting
import Stores

/// A store of a user's own, with a remote service that has no demo.
enum QuoteHall {
    struct State: HostedState, Restorable {
        var isAsking = false
        var quote: String?

        init() {}

        init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
            isAsking = try persisted.member("isAsking")
            quote = try persisted.member("quote")
        }

        func encode(into json: inout JSONWriter) {
            json.object {
                $0.member("isAsking", isAsking)
                $0.member("quote", quote)
            }
        }
    }

    enum Action: DeclaredAction, Equatable {
        case ask
        case arrived(String)

        static let catalogue = ActionSchema<Action>([
            ActionDeclaration("hall/ask", "Asks for a quote.", .ask),
            ActionDeclaration(
                "hall/arrived", "The quote arrives.", audience: .internal,
                fields: .text("quote", 0...500, example: "Hello"), embed: { .arrived($0) },
                extract: { if case .arrived(let quote) = $0 { quote } else { nil } }),
        ])
    }

    struct HallReducer: Reducer {
        func decide(_ action: Action, in state: State) -> Decision { .accept }

        func reduce(_ state: inout State, _ action: Action) {
            switch action {
            case .ask: state.isAsking = true
            case .arrived(let quote): (state.isAsking, state.quote) = (false, quote)
            }
        }
    }

    static let place = RemoteService.Setting.pointer("place", JSONPointer(tokens: ["text"]), "the place of the text")

    static let kind = StoreKind.calling(RemoteService("quotes", settings: [place])) { clients in
        let place = clients.value(of: place, for: "quotes")
        return .store(
            "hall", reducer: HallReducer(),
            middleware: [
                RemoteMiddleware(
                    "hall.ask", clients["quotes"],
                    on: { $0.action == .ask ? RemoteRequest(target: "/random") : nil },
                    response: { response throws(RemoteFailure) in .arrived(try response.text(at: place)) },
                    failure: { .arrived($0.code.rawValue) })
            ])
    }
}
