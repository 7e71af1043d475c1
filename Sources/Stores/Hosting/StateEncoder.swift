import JSON
import Locks

/// Encodes the states of one store, the whole of each revision at most once.
@usableFromInline
final class StateEncoder<State: HostedState>: Sendable {
    private let shared: Shared
    // Guards the newest encoding. Taken after the store's lock.
    private let newest: Locked<(revision: Int, json: [UInt8])>

    /// What the stores of a kind have in common.
    @usableFromInline
    final class Shared: Sendable {
        let selectors: [String: Selector<State>]
        /// The state at revision 0.
        let initialState: [UInt8]

        @usableFromInline
        init(selectors: [Selector<State>]) {
            self.selectors = Dictionary(selectors.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            initialState = json(of: State())
        }
    }

    @usableFromInline
    init(_ shared: Shared) {
        self.shared = shared
        newest = Locked((0, shared.initialState))
    }

    @usableFromInline
    func encode(_ selection: Selection, of state: State, at revision: Int) -> [UInt8] {
        switch selection {
        case .whole: return whole(state, revision)
        case .pointer(let pointer):
            let json = whole(state, revision)
            return pointer.range(in: json).map { Array(json[$0]) } ?? Array("null".utf8)
        case .named(let name):
            var json = JSONWriter()
            if let selector = shared.selectors[name] { selector.write(state, &json) } else { json.null() }
            return json.finish()
        }
    }

    private func whole(_ state: State, _ revision: Int) -> [UInt8] {
        if let known = newest.withLock({ $0.revision == revision ? $0.json : nil }) { return known }
        let json = json(of: state)
        newest.withLock { newest in
            if newest.revision < revision { newest = (revision, json) }
        }
        return json
    }
}

private func json(of state: some HostedState) -> [UInt8] {
    var writer = JSONWriter(reservingCapacity: 512)
    writer.value(state)
    return writer.finish()
}
