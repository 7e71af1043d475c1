import StoreHosting
import Stores

/// A kind whose total only grows.
enum LedgerKind {
    private struct Ledger: Sendable, Equatable {
        var total = 0
        var notes = 0
    }

    /// - Parameter isAsynchronous: whether each action is awaited, so that others can come between two entries.
    static func make(isAsynchronous: Bool) -> StoreKind {
        let amount = Field<Int>.integer("amount", 1...1_000_000)
        let add = Action<Ledger, Int>("add", "Adds to the total.", amount) { ledger, amount in ledger.total += amount }
        let note = Action<Ledger, Void>("note", "Leaves the total as it is.") { $0.notes += 1 }
        let skip = Action<Ledger, Void>("skip", "Is ignored.", rules: .ignore { _ in true }) { $0.notes += 1 }
        let fail = Action<Ledger, Void>("fail", "Is rejected.", rules: .reject("never") { _ in true }) { $0.notes += 1 }
        return StoreDefinition("ledger", "A total.", Ledger(), isAsynchronous: isAsynchronous) {
            Member("total", \.total)
            Member("notes", \.notes)
            add
            note
            skip
            fail
        }.kind
    }
}
