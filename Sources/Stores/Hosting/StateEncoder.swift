import JSON

/// Encodes the states of one kind's stores, the whole of each revision at most once.
///
/// It is called inside the store whose state it is, which keeps the newest encoding.
@usableFromInline
final class StateEncoder<State: HostedState>: Sendable {
    private let selectors: [String: Selector<State>]
    private let restoration: Restoration<State>?
    /// How new stores of the kind begin, which all of them share.
    let initial: KeptState
    /// What is remembered of that state, to find the changes of the first commit.
    private let initialTrace: StateTrace
    /// Whether the states hide anything.
    private let hides: Bool

    @usableFromInline
    init(selectors: [Selector<State>]) {
        self.selectors = Dictionary(selectors.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let state = State()
        initialTrace = StateTrace(of: state)
        let restoration = State.restoration
        var members = HiddenMembers(JSONWriter(), .leftOut)
        restoration?.visit(state, &members)
        // One that hides nothing now never does.
        self.restoration = restoration
        hides = members.count > 0
        initial = KeptState(json: json(of: state), hidden: hides ? members.bytes : nil)
    }

    var isRestorable: Bool { restoration != nil }

    /// - Parameter trail: where the store keeps the newest encoding; nil before its first commit.
    @usableFromInline
    func encode(_ selection: Selection, of state: State, at revision: Int, _ trail: StateTrail?) -> [UInt8] {
        switch selection {
        case .whole: return whole(state, revision, trail)
        case .pointer(let pointer): return pointer.found(in: whole(state, revision, trail))
        case .named(let name):
            var json = JSONWriter()
            if let selector = selectors[name] { selector.write(state, &json) } else { json.null() }
            return json.finish()
        }
    }

    private func whole(_ state: State, _ revision: Int, _ trail: StateTrail?) -> [UInt8] {
        // A store that began with another state has a trail from the beginning.
        guard revision > 0 || trail != nil else { return initial.json }
        if let newest = trail?.encoding, newest.revision == revision { return newest.json }
        let json = json(of: state)
        trail?.encoding = StateEncoding(revision: revision, json: json)
        return json
    }
}

// Keeping states, and going on from them.
extension StateEncoder {
    /// The trail of a store that begins as all of the kind do. Such a state has no secrets yet.
    @usableFromInline
    func newTrail() -> StateTrail { StateTrail(initialTrace, hidden: initial.hidden ?? []) }

    /// The trail of a store that goes on from `state`.
    @usableFromInline
    func trail(from state: State, _ sealer: (any Sealer)?) -> StateTrail {
        StateTrail(StateTrace(of: state), hidden: hidden(in: state, sealer == nil ? .leftOut : .clear) ?? [])
    }

    /// What has changed in the state since `trail` was asked last, and what it hides now, where that has changed too.
    @usableFromInline
    func changes(
        in state: State, since trail: StateTrail, _ sealer: (any Sealer)?
    ) -> (changes: StatePatch, hidden: [UInt8]?) {
        let found = trail.changes(in: state)
        let patch = found.patch
        guard hides, let restoration else { return (patch, nil) }
        // Compared in clear where it will be sealed, so that nothing is sealed for nothing.
        var members = HiddenMembers(found.rest(), sealer == nil ? .leftOut : .clear)
        restoration.visit(state, &members)
        guard trail.notesHidden(members) else { return (patch, nil) }
        return (patch, hidden(in: state, sealer.map { .sealed($0) } ?? .leftOut))
    }

    /// The state as it is kept at `revision`.
    @usableFromInline
    func kept(_ state: State, at revision: Int, _ trail: StateTrail?, _ sealer: (any Sealer)?) -> KeptState {
        KeptState(
            json: whole(state, revision, trail), hidden: hidden(in: state, sealer.map { .sealed($0) } ?? .leftOut))
    }

    /// The selected value of a state that was kept.
    func encode(_ selection: Selection, of kept: KeptState) throws(RestorationFailure) -> [UInt8] {
        switch selection {
        case .whole: kept.json
        case .pointer(let pointer): pointer.found(in: kept.json)
        case .named: encode(selection, of: try state(from: kept, nil), at: 0, nil)
        }
    }

    /// The state that was kept.
    @usableFromInline
    func state(from kept: KeptState, _ sealer: (any Sealer)?) throws(RestorationFailure) -> State {
        guard let restoration else { throw .notRestorable }
        return try restoration.restore(
            KeptValue(
                try Self.value(kept.json, of: .state),
                hidden: try kept.hidden.map { (json) throws(RestorationFailure) in try Self.value(json, of: .hidden) },
                sealer: sealer))
    }

    private func hidden(in state: State, _ secrets: HiddenMembers.Secrets) -> [UInt8]? {
        guard hides, let restoration else { return nil }
        var members = HiddenMembers(JSONWriter(), secrets)
        restoration.visit(state, &members)
        return members.bytes
    }

    private static func value(
        _ json: [UInt8], of part: RestorationFailure.Part
    ) throws(RestorationFailure) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: json, maximumDepth: JSONValue.deepestNesting)
        } catch {
            throw .malformed(part)
        }
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
