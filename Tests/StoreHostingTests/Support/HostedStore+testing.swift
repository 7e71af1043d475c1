import JSON
import Locks
import StoreHosting
import Stores

extension HostedStore {
    /// The result of an action, if the store has it at once.
    @discardableResult
    func dispatch(_ type: String, _ payload: JSONObject = [:]) -> DispatchResult? {
        // A store of an actor may have it later.
        let known = Locked<DispatchResult?>(nil)
        dispatch(["type": .string(type), "payload": .object(payload)], DispatchOptions()) { result in
            known.withLock { $0 = result }
        }
        return known.withLock(\.self)
    }

    var json: String { String(decoding: read(.root).json, as: UTF8.self) }
}

extension DispatchResult {
    /// The outcome in a word: `committed`, `ignored` or the reason of the rejection.
    var word: String {
        switch outcome {
        case .rejected(let rejection, _): rejection.reason
        case .committed: "committed"
        case .ignored: "ignored"
        default: "\(outcome)"
        }
    }
}
