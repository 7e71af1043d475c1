import JSON
import RemoteServices
import RemoteTesting
import StoreHosting
import Stores

/// A kind of every sort of effect that a shutdown may find under way.
///
/// A call leads to another one as often as the test says. A timer begins a call too. Other effects wait for ever, or for an hour.
enum RelayAction: DeclaredAction, Equatable {
    case call(Int)
    case arrived(String)
    case arm(Int)
    case due
    case listen, delay, echo

    static let catalogue = ActionSchema<RelayAction>([
        ActionDeclaration(
            "relay/call", "Calls so often, one after the other.", fields: .integer("times", 1...9, example: 1),
            embed: { .call($0) }, extract: { if case .call(let times) = $0 { times } else { nil } }),
        ActionDeclaration(
            "relay/arrived", "A response has arrived.", audience: .internal,
            fields: .text("text", 0...200, example: "Cat"), embed: { .arrived($0) },
            extract: { if case .arrived(let text) = $0 { text } else { nil } }),
        ActionDeclaration(
            "relay/arm", "Calls at that time.", fields: .integer("at", 0...Int(1 << 52), example: 1),
            embed: { .arm($0) }, extract: { if case .arm(let moment) = $0 { moment } else { nil } }),
        ActionDeclaration("relay/due", "The time has come.", audience: .internal, .due),
        ActionDeclaration("relay/listen", "Waits for events that never come.", .listen),
        ActionDeclaration("relay/delay", "Does something in an hour.", .delay),
        ActionDeclaration("relay/echo", "A middleware sends another action at once.", .echo),
    ])
}

struct RelayState: HostedState, Restorable {
    var texts: [String] = []
    var left = 0
    var deadline: Int?

    init() {}

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) {
        texts = try persisted.member("texts")
        left = try persisted.member("left")
        deadline = try persisted.member("deadline")
    }

    func encode(into json: inout JSONWriter) {
        json.object {
            $0.member("texts", texts)
            $0.member("left", left)
            $0.member("deadline", deadline)
        }
    }
}

struct RelayReducer: Reducer {
    func decide(_ action: RelayAction, in state: RelayState) -> Decision { .accept }

    func reduce(_ state: inout RelayState, _ action: RelayAction) {
        switch action {
        case .call(let times): state.left = times
        case .arrived(let text):
            state.texts.append(text)
            state.left -= 1
        case .arm(let moment): state.deadline = moment
        case .due: (state.deadline, state.left) = (nil, 1)
        case .listen, .delay, .echo: break
        }
    }
}

extension StoreKind {
    static func relay(_ client: any RemoteClient) -> StoreKind {
        .store(
            "relay", reducer: RelayReducer(),
            middleware: [
                RemoteMiddleware<RelayState, RelayAction>(
                    "relay.call", client,
                    on: { commit in
                        switch commit.action {
                        case .call, .due: RemoteRequest()
                        case .arrived: commit.state.left > 0 ? RemoteRequest() : nil
                        case .arm, .listen, .delay, .echo: nil
                        }
                    },
                    response: { response throws(RemoteFailure) in .arrived(try response.text(at: "animal")) },
                    failure: { .arrived($0.code.rawValue) },
                    isCalling: { $0.left > 0 }),
                Timers("relay.timers") { state in
                    state.deadline.map { [StateTimer("call", at: $0, .due)] } ?? []
                },
                MiddlewareFunction { commit in
                    switch commit.action {
                    case .listen:
                        .run("relay.listen") {
                            // It ends only when it is cancelled.
                            while (try? await Task.sleep(for: .seconds(3600))) != nil {}
                            return nil
                        }
                    case .echo: .dispatch(.arrived("echo"))
                    case .delay: .run("relay.delay") { .arrived("late") }.delayed(by: .seconds(3600))
                    default: .none
                    }
                },
            ])
    }
}
