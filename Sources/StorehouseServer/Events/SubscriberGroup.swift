import Sockets

/// The streams of one loop that share a topic.
///
/// Frames are delivered from any thread, in order, each in one job on the loop.
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

    /// On the loop only.
    func add(_ stream: EventStream) {
        stream.groupIndex = streams.value.list.count
        streams.value.list.append(stream)
    }

    /// On the loop only.
    ///
    /// - Returns: whether the stream was there.
    func remove(_ stream: EventStream) -> Bool {
        let streams = streams.value
        guard stream.groupIndex < streams.list.count, streams.list[stream.groupIndex] === stream else { return false }
        let last = streams.list.removeLast()
        if last !== stream {
            last.groupIndex = stream.groupIndex
            streams.list[stream.groupIndex] = last
        }
        return true
    }

    /// On the loop only.
    var isEmpty: Bool { streams.value.list.isEmpty }

    func deliver(_ frame: EventFrame) {
        loop.execute { [streams] in
            for stream in streams.value.list { stream.send(frame) }
        }
    }

    func deliver(_ frame: EffectFrame) {
        loop.execute { [streams] in
            for stream in streams.value.list where stream.showsEffects { stream.send(frame) }
        }
    }

    /// Ends the streams that fulfil a condition.
    ///
    /// - Parameter reason: the reason in `closed`; nil to end without that event.
    func end(_ reason: String?, _ condition: @escaping @Sendable (EventStream) -> Bool = { _ in true }) {
        loop.execute { [streams] in
            for stream in streams.value.list where condition(stream) { stream.end(reason) }
        }
    }
}
