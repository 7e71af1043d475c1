/// An effect as it was asked for.
@usableFromInline
struct EffectRequest<Action: Sendable>: Sendable {
    typealias Operation = @Sendable (Emitter<Action>) async -> Action?

    let id: EffectID
    let policy: EffectPolicy
    let operation: Operation
    /// How long to wait before it begins.
    var delay = Duration.zero
    /// How long it may run, and what is dispatched where it runs longer.
    var deadline: (timeout: Duration, action: Action)?

    init(id: EffectID, policy: EffectPolicy, operation: @escaping Operation) {
        self.id = id
        self.policy = policy
        self.operation = operation
        if case .debounced(let quiet) = policy { delay = quiet }
    }

    func map<Parent: Sendable>(_ embed: @escaping @Sendable (Action) -> Parent) -> EffectRequest<Parent> {
        var parent = EffectRequest<Parent>(id: id, policy: policy) { [operation] emitter in
            await operation(Emitter { emitter.emit(embed($0)) }).map(embed)
        }
        parent.delay = delay
        parent.deadline = deadline.map { ($0.timeout, embed($0.action)) }
        return parent
    }
}

extension Duration {
    /// Rounded up, so that nothing comes too early.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, overflow) = Int(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return whole.saturatingAdding(Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
}

extension Int {
    func saturatingAdding(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
