package import StoreHosting
package import Stores

/// A counter.
package struct CounterState: StateSlice, Equatable {
    package static let key: StaticString = "counter"

    package var count = 0

    package init() {}

    package init(restoring persisted: PersistedValue) throws(RestorationError) { count = try persisted.member("count") }

    package func visitMembers(_ members: inout some MemberVisitor & ~Copyable) {
        members.member("count", count)
    }
}

/// The actions of the counter slice.
package enum CounterAction: DeclaredAction, Equatable {
    case increment(by: Int)
    case decrement(by: Int)

    package static let catalogue = ActionSchema<CounterAction>([
        ActionDeclaration(
            "counter/increment", "Adds to the count; `overflow` past a 64-bit integer.",
            fields: step("How much to add."),
            embed: { .increment(by: $0) },
            extract: { if case .increment(let step) = $0 { step } else { nil } }),
        ActionDeclaration(
            "counter/decrement", "Subtracts from the count; `overflow` past a 64-bit integer.",
            fields: step("How much to subtract."),
            embed: { .decrement(by: $0) },
            extract: { if case .decrement(let step) = $0 { step } else { nil } }),
    ])

    private static func step(_ description: String) -> Field<Int> {
        .integer("by", 1...1_000_000, example: 2).defaulting(to: 1).described(description)
    }
}

/// Counts. A count that does not fit in 64 bits is rejected as `overflow`.
package struct CounterReducer: Reducer {
    package init() {}

    package func decide(_ action: CounterAction, in state: CounterState) -> Decision {
        Self.count(state.count, after: action) == nil ? .reject("overflow") : .accept
    }

    package func reduce(_ state: inout CounterState, _ action: CounterAction) {
        guard let count = Self.count(state.count, after: action) else { return }
        state.count = count
    }

    private static func count(_ count: Int, after action: CounterAction) -> Int? {
        let (sum, overflow) =
            switch action {
            case .increment(let step): count.addingReportingOverflow(step)
            case .decrement(let step): count.subtractingReportingOverflow(step)
            }
        return overflow ? nil : sum
    }
}
