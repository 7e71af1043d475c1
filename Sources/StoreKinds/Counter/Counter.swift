package import StoreHosting
import Stores

/// A counter. A count that does not fit in 64 bits is rejected as `overflow`.
package struct Counter: Sendable, Equatable {
    package var count = 0

    package init() {}

    package static let increment = Action<Counter, Int>(
        "increment", "Adds to the count. Rejected as `overflow` beyond 64 bits.", step("How much to add."),
        rules: .reject("overflow") { $0.count.addingReportingOverflow($1).overflow }
    ) { $0.count += $1 }

    package static let decrement = Action<Counter, Int>(
        "decrement", "Subtracts from the count. Rejected as `overflow` beyond 64 bits.", step("How much to subtract."),
        rules: .reject("overflow") { $0.count.subtractingReportingOverflow($1).overflow }
    ) { $0.count -= $1 }

    package static let elements = StoreElements<Counter> {
        Member("count", \.count)
        increment
        decrement
    }

    private static func step(_ description: String) -> Field<Int> {
        .integer("by", 1...1_000_000, example: 2).defaulting(to: 1).described(description)
    }
}
