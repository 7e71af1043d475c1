package import Stores

/// What can be done with the counter.
package enum CounterAction: CataloguedAction, Equatable {
    case increment(by: Int)
    case decrement(by: Int)

    package static let catalogue = ActionCatalogue<CounterAction>([
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
