import JSON

/// Encodes the states of one kind's stores, the whole of each revision at most once.
///
/// It is called inside the store whose state it is, which keeps the newest encoding.
@usableFromInline
final class StateEncoder<State: HostedState>: Sendable {
    private let selectors: [String: Selector<State>]
    /// The state at revision 0, which all stores of the kind share.
    let initialState: [UInt8]
    /// What is remembered of that state, to find the changes of the first commit.
    @usableFromInline let initialTrace: StateTrace

    @usableFromInline
    init(selectors: [Selector<State>]) {
        self.selectors = Dictionary(selectors.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let state = State()
        initialState = json(of: state)
        var finder = ChangeFinder(StateTrace())
        state.findChanges(&finder)
        initialTrace = finder.trace
    }

    /// - Parameter trail: where the store keeps the newest encoding; nil before its first commit.
    @usableFromInline
    func encode(_ selection: Selection, of state: State, at revision: Int, _ trail: StateTrail?) -> [UInt8] {
        switch selection {
        case .whole: return whole(state, revision, trail)
        case .pointer(let pointer):
            let json = whole(state, revision, trail)
            return pointer.range(in: json).map { Array(json[$0]) } ?? Array("null".utf8)
        case .named(let name):
            var json = JSONWriter()
            if let selector = selectors[name] { selector.write(state, &json) } else { json.null() }
            return json.finish()
        }
    }

    private func whole(_ state: State, _ revision: Int, _ trail: StateTrail?) -> [UInt8] {
        guard revision > 0 else { return initialState }
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

private func json(of state: some HostedState) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 512)
    writer.value(state)
    return writer.finish()
}
