import Stores
import StoresTesting

/// A store that records its commits and the events of its effects, in order.
///
/// `start(n)` runs the operation with that number, `stop` cancels what runs.
struct EffectRecorder {
    typealias Operation = @Sendable (Int) async -> TallyAction?

    let scheduler = TestScheduler()
    let gates = Gates()
    /// `commit 1`, `started 1`: a commit with its revision, an event with its cause and its details.
    let received = Recorder<String>()
    let events = Recorder<EffectEvent>()
    let store: Store<Tally, TallyAction>
    private let subscription: Subscription

    /// - Parameters:
    ///   - operation: nil for an operation that waits for the gate of its number and adds the number.
    ///   - change: changes the effect before the store gets it.
    init(
        _ policy: EffectPolicy = .parallel, _ operation: Operation? = nil,
        changing change: @escaping @Sendable (Int, Effect<TallyAction>) -> Effect<TallyAction> = { $1 }
    ) {
        let (gates, received, events) = (gates, received, events)
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
            environment: scheduler.environment { event in
                events.record(event)
                received.record(event.line)
            })
        subscription = store.subscribe { received.record("commit \($0.revision)") }
    }

    /// Sends actions one by one and runs the effects after each.
    func send(_ actions: TallyAction...) {
        for action in actions {
            store.dispatch(action)
            scheduler.run()
        }
    }

    /// Opens the gate of an operation.
    func open(_ number: Int) {
        gates[number].open()
        scheduler.run()
    }

    func advance(by milliseconds: Int) { scheduler.advance(by: milliseconds) }
}

extension EffectEvent {
    /// The phase, the cause and the details.
    var line: String {
        var parts = [phase.rawValue, "\(cause)"]
        if let upstream { parts.append(upstream) }
        if let attempt { parts.append("attempt \(attempt)") }
        if let code { parts.append(code) }
        return parts.joined(separator: " ")
    }
}
