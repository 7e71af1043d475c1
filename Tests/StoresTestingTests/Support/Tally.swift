import Stores

/// A list of numbers, with an effect for each `start`.
struct Tally: Sendable, Equatable {
    var values: [Int] = []
}

enum TallyAction: Sendable, Equatable {
    case add(Int)
    case refuse
    case skip
    case start(Int)
    case stop
}

struct TallyReducer: Reducer {
    func decide(_ action: TallyAction, in state: Tally) -> Decision {
        switch action {
        case .add, .start, .stop: .accept
        case .refuse: .reject("refused")
        case .skip: .ignore
        }
    }

    func reduce(_ state: inout Tally, _ action: TallyAction) {
        if case .add(let value) = action { state.values.append(value) }
    }
}

extension MiddlewareFunction<Tally, TallyAction> {
    /// Runs `operation` under the id `work` after each `start`, and cancels it after `stop`.
    static func working(_ operation: @escaping @Sendable (Int, Emitter<TallyAction>) async -> TallyAction?) -> Self {
        Self { commit in
            switch commit.action {
            case .start(let number): .run("work", emitting: { await operation(number, $0) })
            case .stop: .cancel("work")
            case .add, .refuse, .skip: .none
            }
        }
    }
}
