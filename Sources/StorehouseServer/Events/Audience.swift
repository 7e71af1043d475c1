import Sockets

/// The streams of one loop that show the same selection of a session.
///
/// It is told from any thread, in order, and passes on in one job on its loop.
final class Audience: Sendable {
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
