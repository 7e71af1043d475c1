import Sockets
import StoreHosting
import Stores

/// What streams of one view have been shown, and who they are.
struct Topic {
    /// What a commit means to the view.
    enum Change {
        /// The value is another one.
        case value
        case patch(EncodedPatch)
        case lines([UInt8])
    }

    let view: StreamSubscription
    /// The commit that changed the value last, as far as this is known.
    private(set) var changedAt: Int
    /// The value, where patches of the whole state do not always tell whether it has changed.
    private var json: [UInt8]?
    /// What is shown to a terminal.
    private var terminal: TerminalLines?
    /// Those who watch, by loop.
    private(set) var audiences: [SubscriberGroup] = []

    init(_ view: StreamSubscription, _ state: borrowing StateView) {
        self.view = view
        changedAt = state.revision
        if case .text(let inColor) = view.form {
            terminal = TerminalLines(of: state.encoded(view.selection), inColor: inColor)
        } else if view.selection != .whole {
            json = state.encoded(view.selection)
        }
    }

    /// Takes what one or more commits have changed in the whole state; nil where the value is what it was.
    mutating func update(_ state: borrowing StateView, _ changes: EncodedPatch) -> Change? {
        var narrowed = view.selection.narrow(changes)
        if narrowed == .unchanged { return nil }
        if let lines = terminal?.lines(of: view.selection, state) {
            if lines.isEmpty { return nil }
            changedAt = state.revision
            return .lines(lines)
        }
        if let old = json {
            let new = state.encoded(view.selection)
            if old == new { return nil }
            json = new
            if narrowed == .unclear, view.form == .patch { narrowed = .patch(EncodedPatch(from: old, to: new)) }
        }
        changedAt = state.revision
        guard view.form == .patch, case .patch(let patch) = narrowed else { return .value }
        return .patch(patch)
    }

    mutating func enter(_ stream: EventStream) {
        if let audience = audiences.first(where: { $0.loop === stream.loop }) {
            audience.add(stream)
        } else {
            audiences.append(SubscriberGroup(first: stream))
        }
    }

    /// - Returns: whether it was there.
    mutating func leave(_ stream: EventStream) -> Bool {
        guard let place = audiences.firstIndex(where: { $0.loop === stream.loop }),
            audiences[place].remove(stream)
        else { return false }
        if audiences[place].isEmpty { audiences.remove(at: place) }
        return true
    }
}

/// The streams of one loop that show the same selection of a session.
///
/// It is told from any thread, in order, and passes on in one job on its loop.
final class SubscriberGroup: Sendable {
    let loop: any EventLoop
    private let streams: LoopBound<Streams>

    private final class Streams {
        var list: [EventStream] = []
    }

    /// On the loop only.
    init(first stream: EventStream) {
        loop = stream.loop
        let streams = Streams()
        streams.list = [stream]
        self.streams = LoopBound(streams, on: stream.loop)
    }

    // What follows, up to `isEmpty`, is called on the loop only.

    func add(_ stream: EventStream) {
        stream.place = streams.value.list.count
        streams.value.list.append(stream)
    }

    /// - Returns: whether it was there.
    func remove(_ stream: EventStream) -> Bool {
        let streams = streams.value
        guard stream.place < streams.list.count, streams.list[stream.place] === stream else { return false }
        let last = streams.list.removeLast()
        if last !== stream {
            last.place = stream.place
            streams.list[stream.place] = last
        }
        return true
    }

    var isEmpty: Bool { streams.value.list.isEmpty }

    func deliver(_ frame: EventFrame) {
        loop.execute { [streams] in
            for stream in streams.value.list { stream.show(frame) }
        }
    }

    func deliver(_ frame: EffectFrame) {
        loop.execute { [streams] in
            for stream in streams.value.list where stream.showsEffects { stream.show(frame) }
        }
    }

    /// - Parameter reason: nil to end without a word.
    func end(_ reason: String?) {
        loop.execute { [streams] in
            for stream in streams.value.list { stream.end(reason) }
        }
    }
}
