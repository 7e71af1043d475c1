import JSON
public import Stores

/// A condition that a persisted state must meet, so that the program can work with it.
///
///     Check("balance", "must be from 0 to 1000") { (0...1000).contains($0.balance) }
///
/// An older program may have written the state, or somebody by hand. A session whose state does not meet the condition is not loaded,
/// and the log says why. It is not checked after an action; see `Invariant`.
public struct Check<State: Sendable>: StoreElement {
    @usableFromInline let holds: @Sendable (State) -> Bool
    private let member: String?
    private let detail: String

    /// A condition.
    ///
    /// - Parameters:
    ///   - member: the name of the member at fault.
    ///   - detail: the condition, as a predicate whose subject is the member: "must be from 0 to 1000".
    ///   - holds: whether a state meets it. It must only read.
    public init(_ member: String, _ detail: String, holds: @escaping @Sendable (State) -> Bool) {
        self.member = member
        self.detail = detail
        self.holds = holds
    }

    init(_ invariant: Invariant<State>) {
        member = nil
        detail = "breaks the invariant \(invariant.name)"
        holds = invariant.holds
    }

    public func add(to elements: inout StoreElements<State>) { elements.checks.append(self) }

    /// The error that a state does not meet the condition.
    func error(in names: [MemberName]) -> RestorationError {
        // A shown member of the same name is computed.
        let isPrivate = names.contains { $0.text == member && $0.isPrivate }
        return .unreadable(
            isPrivate ? .privateState : .state, at: JSONPointer(tokens: member.map { [$0] } ?? []).description, detail)
    }
}

/// A condition that every action keeps: one that would break it is rejected as a fault, and changes nothing.
extension Invariant: StoreElement {
    public func add(to elements: inout StoreElements<Value>) {
        elements.invariants.append(self)
        elements.checks.append(Check(self))
    }
}
