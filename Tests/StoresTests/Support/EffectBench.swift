import Locks
import Stores

/// A store whose `start(n)` runs an effect that waits for gate `n` and returns `add(n)`. `stop` cancels it.
struct EffectBench {
    let scheduler = TestScheduler()
    let gates = Gates()
    /// The numbers whose operation has begun.
    let started = Recorder<Int>()
    let store: Store<Tally, TallyAction>

    /// - Parameter change: changes the effect before the store gets it.
    init(
        _ policy: EffectPolicy, effectLimit: Int = 64,
        _ change: @escaping @Sendable (Int, Effect<TallyAction>) -> Effect<TallyAction> = { $1 }
    ) {
        let (gates, started) = (gates, started)
        let middleware = MiddlewareFunction<Tally, TallyAction> { commit in
            switch commit.action {
            case .start(let number):
                change(
                    number,
                    .run("work", policy) {
                        started.record(number)
                        await gates[number].wait()
                        return .add(number)
                    })
            case .stop: .cancel("work")
            case .add, .refuse, .skip: .none
            }
        }
        store = Store(
            Tally(), reducer: TallyReducer(), middleware: [middleware],
            environment: scheduler.environment(effectLimit: effectLimit))
    }

    @discardableResult
    func start(_ number: Int) -> Receipt {
        let receipt = store.dispatch(.start(number))
        scheduler.run()
        return receipt
    }

    /// Opens the gate of an operation and runs the effects.
    func open(_ number: Int) {
        gates[number].open()
        scheduler.run()
    }

    func advance(by milliseconds: Int) { scheduler.advance(by: milliseconds) }
}

/// A gate for each name.
final class Gates: Sendable {
    private let gates = Locked<[String: Gate]>([:])

    subscript(name: String) -> Gate {
        gates.withLock { gates in
            let gate = gates[name] ?? Gate()
            gates[name] = gate
            return gate
        }
    }

    subscript(number: Int) -> Gate { self["\(number)"] }
}
