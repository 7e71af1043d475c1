import JSON
import Locks

/// Encodes the states of one store, the whole of each revision at most once.
final class StateEncoder<State: HostedState>: Sendable {
    private let selectors: [String: Selector<State>]
    // Guards the newest encoding. Taken after the store's lock.
    private let newest: Locked<(revision: Int, json: [UInt8])?> = Locked(nil)

    init(selectors: [String: Selector<State>]) { self.selectors = selectors }

    func encode(_ selection: Selection, of state: State, at revision: Int) -> [UInt8] {
        switch selection {
        case .whole: return whole(state, revision)
        case .pointer(let pointer):
            let json = whole(state, revision)
            return pointer.range(in: json).map { Array(json[$0]) } ?? Array("null".utf8)
        case .named(let name):
            var json = JSONWriter()
            if let selector = selectors[name] { selector.write(state, &json) } else { json.null() }
            return json.finish()
        }
    }

    private func whole(_ state: State, _ revision: Int) -> [UInt8] {
        if let known = newest.withLock({ $0?.revision == revision ? $0?.json : nil }) { return known }
        var writer = JSONWriter(reservingCapacity: 512)
        writer.value(state)
        let json = writer.finish()
        newest.withLock { newest in
            if newest?.revision ?? -1 < revision { newest = (revision, json) }
        }
        return json
    }
}

struct HostedView<State: HostedState>: StateView {
    let state: State
    let revision: Int
    let encoder: StateEncoder<State>

    func encoded(_ selection: Selection) -> [UInt8] { encoder.encode(selection, of: state, at: revision) }
}
