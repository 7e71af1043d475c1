import Stores
import StoresTesting

/// A store whose commits and effects are written down, in the order in which they are told.
///
/// `start(n)` runs the operation with that number, `stop` cancels what runs.
struct EffectWitness {
    typealias Operation = @Sendable (Int) async -> TallyAction?

    let world = StillWorld()
    let gates = Gates()
    /// `commit 1`, `started 1`: a commit with its revision, an effect with its cause and with what else is known.
    let told = Recorder<String>()
    let events = Recorder<EffectEvent>()
    let store: Store<Tally, TallyAction>
    private let subscription: Subscription

    /// - Parameters:
    ///   - operation: nil for one that waits for the gate of its number, and then adds it.
    ///   - change: what is made of the effect before it is handed to the store.
    init(
        _ policy: EffectPolicy = .parallel, _ operation: Operation? = nil,
        changing change: @escaping @Sendable (Int, Effect<TallyAction>) -> Effect<TallyAction> = { $1 }
    ) {
        let (gates, told, events) = (gates, told, events)
        let operation: Operation =
            operation ?? {
                await gates[$0].wait()
                return .add($0)
            }
        let middleware = MiddlewareFunction<Tally, TallyAction> { commit in
            switch commit.action {
            case .start(let number): change(number, .run("work", policy) { await operation(number) })
            case .stop: .cancel("work")
            case .add, .refuse, .skip: .none
            }
        }
        store = Store(
            Tally(), reducer: TallyReducer(), middleware: [middleware],
            environment: world.environment { event in
                events.record(event)
                told.record(event.line)
            })
        subscription = store.subscribe { told.record("commit \($0.revision)") }
    }

    /// Sends actions one by one, and lets everything go as far as it goes behind each.
    func send(_ actions: TallyAction...) {
        for action in actions {
            store.dispatch(action)
            world.run()
        }
    }

    /// Lets the operation of that number end.
    func open(_ number: Int) {
        gates[number].open()
        world.run()
    }

    func advance(by milliseconds: Int) { world.advance(by: milliseconds) }
}

extension EffectEvent {
    /// The phase, the cause, and what else there is.
    var line: String {
        var parts = [phase.rawValue, "\(cause)"]
        if let upstream { parts.append(upstream) }
        if let attempt { parts.append("attempt \(attempt)") }
        if let code { parts.append(code) }
        return parts.joined(separator: " ")
    }
}
