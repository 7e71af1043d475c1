import JSON

/// Encodes the states of one kind's stores, the whole of each revision at most once.
///
/// It is called inside the store whose state it is, which keeps the newest encoding.
@usableFromInline
final class StateEncoder<State: HostedState>: Sendable {
    private let selectors: [String: Selector<State>]
    let restoration: StatePersistence<State>?
    let migrations: [StoreKind.Migration]
    /// How new stores of the kind begin, which all of them share.
    let initial: StateSnapshot
    /// What is remembered of that state, to find the changes of the first commit.
    let initialTrace: EncodedBaseline
    /// Whether anything is kept beside what the states show.
    let hides: Bool

    @usableFromInline
    init(selectors: [Selector<State>], migrations: [StoreKind.Migration]) {
        self.selectors = Dictionary(selectors.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let state = State()
        initialTrace = EncodedBaseline(of: state)
        let restoration = State.restoration
        self.restoration = restoration
        self.migrations = migrations
        var members = PrivateStateEncoder(JSONWriter(), .leftOut)
        restoration?.visit(state, schema: migrations.count + 1, &members)
        // One that hides nothing now never does.
        hides = members.count > 0
        initial = StateSnapshot(json: json(of: state), hidden: hides ? members.bytes : nil)
    }

    /// - Parameter trail: where the store keeps the newest encoding; nil before its first commit.
    @usableFromInline
    func encode(_ selection: Selection, of state: State, at revision: Int, _ trail: HostBookkeeping?) -> [UInt8] {
        switch selection {
        case .whole: return whole(state, revision, trail)
        case .pointer(let pointer): return pointer.found(in: whole(state, revision, trail))
        case .named(let name):
            var json = JSONWriter()
            if let selector = selectors[name] { selector.write(state, &json) } else { json.null() }
            return json.finish()
        }
    }

    func whole(_ state: State, _ revision: Int, _ trail: HostBookkeeping?) -> [UInt8] {
        // A store that began with another state has a trail from the beginning.
        guard revision > 0 || trail != nil else { return initial.json }
        if let newest = trail?.encoding, newest.revision == revision { return newest.json }
        let json = json(of: state)
        trail?.encoding = StateEncoding(revision: revision, json: json)
        return json
    }
}

/// The whole state of one revision as JSON.
@usableFromInline
struct StateEncoding: Sendable {
    let revision: Int
    let json: [UInt8]
}

extension JSONPointer {
    /// What it finds, as JSON; `null` where that is nothing.
    func found(in json: [UInt8]) -> [UInt8] { range(in: json).map { Array(json[$0]) } ?? Array("null".utf8) }
}

private func json(of state: some HostedState) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 512)
    writer.value(state)
    return writer.finish()
}
