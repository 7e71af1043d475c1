import Stores

/// How a replay has taken an entry.
package enum ReplayEffect: Sendable, Hashable {
    case none
    /// It is in the shown state.
    case predicted
    /// The rules reject it.
    case rejected(String)
}

/// The confirmed state, and the shown one, which is the replay of the pending entries on it.
package struct Replay<State: Sendable> {
    package private(set) var confirmed: State
    package private(set) var shown: State
    /// Whether there is a confirmed state.
    package private(set) var hasState = false

    package init(_ initialState: State) {
        confirmed = initialState
        shown = initialState
    }

    /// Changes the confirmed state, or throws and changes nothing.
    package mutating func update(_ change: (inout State) throws -> Void) rethrows {
        var next = confirmed
        try change(&next)
        confirmed = next
        hasState = true
    }

    /// Shows the confirmed state with the entries replayed on it, in order.
    package mutating func replay(_ entries: some Sequence<[RemoteModel<State>.Action]>) -> [ReplayEffect] {
        shown = confirmed
        return entries.map { add($0) }
    }

    /// Replays an entry on the shown state, whole or not at all.
    package mutating func add(_ actions: [RemoteModel<State>.Action]) -> ReplayEffect {
        guard hasState, !actions.isEmpty else { return .none }
        // One action changes the state or does not, so it needs no copy.
        if actions.count == 1 {
            guard let apply = actions[0].apply else { return .none }
            return Self.effect(apply(&shown))
        }
        var next = shown
        for action in actions {
            guard let apply = action.apply else { return .none }
            switch apply(&next) {
            case .accept, .ignore: continue
            case let decision: return Self.effect(decision)
            }
        }
        shown = next
        return .predicted
    }

    private static func effect(_ decision: Decision) -> ReplayEffect {
        switch decision {
        case .accept: .predicted
        case .reject(let rejection) where !rejection.isFault: .rejected(rejection.reason)
        case .reject, .ignore, .follow: .none
        }
    }
}
