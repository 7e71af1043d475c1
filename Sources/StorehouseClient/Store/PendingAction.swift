public import JSON
public import StoreHosting

/// An action, or several that commit together, whose outcome the shown state awaits.
public struct PendingAction<State: Sendable>: Sendable {
    /// The actions; empty if the app does not know the kind, or an action of it.
    public let actions: [StoreAction<State>]
    /// The bodies of the actions, as they are sent.
    public let bodies: [JSONValue]
    /// The reason for which the rules of the kind reject it here. The server may know better.
    public var reason: String? {
        if case .rejected(let reason) = effect { reason } else { nil }
    }
    /// Names it in what the store tells.
    package let key: Int
    /// Its place in the outbox; nil until it is stored.
    package let number: Int?
    let effect: ReplayEffect
    /// Whether it is in the shown state.
    package var isPredicted: Bool { effect == .predicted }

    /// The first action; nil if the app does not know it.
    public var action: StoreAction<State>? { actions.first }
}

extension PendingAction {
    init(_ entry: Entry, _ actions: [RemoteModel<State>.Action], _ effect: ReplayEffect) {
        let typed = actions.compactMap(\.typed)
        self.actions = typed.count == actions.count ? typed : []
        bodies = entry.actions
        key = entry.key
        number = entry.number
        self.effect = effect
    }
}

/// A pending entry, and how the shown state has taken it.
struct ShownEntry {
    let entry: Entry
    let effect: ReplayEffect

    /// Whether a view sees the same of both.
    func isSame(as other: ShownEntry) -> Bool {
        entry.key == other.entry.key && entry.number == other.entry.number && effect == other.effect
    }
}

extension [ShownEntry] {
    /// The keys of the entries that are in the shown state.
    var predicted: [Int] { filter { $0.effect == .predicted }.map(\.entry.key) }
}
