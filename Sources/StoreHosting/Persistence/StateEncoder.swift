import JSON

/// Encodes and restores the states of one kind's stores.
///
/// All stores of the kind share it. ``HostCommitObserver`` holds the data of one store.
@usableFromInline
final class StateEncoder<State: HostedState>: Sendable {
    private let selectors: [String: Selector<State>]
    let restoration: StatePersistence<State>?
    let migrations: [StoreKind.Migration]
    /// The initial state of every new store.
    let initial: StateSnapshot
    /// The baseline of the diff of the first commit.
    let initialBaseline: EncodedBaseline
    /// Whether the states have private members.
    let hasPrivateState: Bool

    @usableFromInline
    init(selectors: [Selector<State>], migrations: [StoreKind.Migration]) {
        self.selectors = Dictionary(selectors.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let state = State()
        initialBaseline = EncodedBaseline(of: state)
        let restoration = State.restoration
        self.restoration = restoration
        self.migrations = migrations
        var members = PrivateStateEncoder(JSONWriter(), .leftOut)
        restoration?.encodePrivate(state, schema: migrations.count + 1, into: &members)
        // A state always has the same private members, so the initial one shows whether there are any.
        hasPrivateState = members.count > 0
        initial = StateSnapshot(json: JSONWriter.json(of: state), privateState: hasPrivateState ? members.bytes : nil)
    }

    /// The selected value of a state, as JSON.
    ///
    /// - Parameter root: the whole state as JSON, called only if the selection needs it.
    @usableFromInline
    func encode(_ selection: Selection, of state: State, root: () -> [UInt8]) -> [UInt8] {
        switch selection {
        case .root: return root()
        case .pointer(let pointer): return pointer.found(in: root())
        case .named(let name):
            var json = JSONWriter()
            if let selector = selectors[name] { selector.write(state, &json) } else { json.null() }
            return json.finish()
        }
    }

    func json(of state: State) -> [UInt8] { JSONWriter.json(of: state) }
}

/// The whole state of one revision as JSON.
@usableFromInline
struct StateEncoding: Sendable {
    let revision: Int
    let json: [UInt8]
}

extension JSONPointer {
    /// The value that the pointer finds in `json`, as JSON; `null` if it finds nothing.
    func found(in json: [UInt8]) -> [UInt8] { range(in: json).map { Array(json[$0]) } ?? Array("null".utf8) }
}

extension JSONWriter {
    fileprivate static func json(of state: some HostedState) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.value(state)
        return writer.finish()
    }
}
