package import Threads

/// The streams of one loop that share a topic.
///
/// Frames are delivered from any thread, in order, each in one job on the loop.
package final class SubscriberGroup: Sendable {
    package let loop: any SerialLoop
    // Safe: `init` and `streams` check that they run on the loop, and `deinit` runs when nobody else refers to this.
    nonisolated(unsafe) private var list = ShortList<Subscriber>()

    /// On the loop only.
    init(first stream: Subscriber, on loop: any SerialLoop) {
        precondition(loop.isCurrent, "a stream was added off its loop")
        self.loop = loop
        list.append(stream)
    }

    /// On the loop only.
    private var streams: ShortList<Subscriber> {
        get {
            precondition(loop.isCurrent, "streams were touched off their loop")
            return list
        }
        _modify {
            precondition(loop.isCurrent, "streams were touched off their loop")
            yield &list
        }
    }

    /// On the loop only.
    package func add(_ stream: Subscriber) {
        stream.groupIndex = streams.count
        streams.append(stream)
    }

    /// On the loop only.
    ///
    /// - Returns: whether the stream was there.
    package func remove(_ stream: Subscriber) -> Bool {
        guard stream.groupIndex < streams.count, streams[stream.groupIndex] === stream else { return false }
        let last = streams.remove(at: streams.count - 1)
        if last !== stream {
            last.groupIndex = stream.groupIndex
            streams[stream.groupIndex] = last
        }
        return true
    }

    /// On the loop only.
    package var isEmpty: Bool { streams.isEmpty }

    func deliver(_ frame: EventFrame) {
        loop.execute { [self] in
            for stream in streams { stream.send(frame) }
        }
    }

    func deliver(effect event: EncodedEvent) {
        loop.execute { [self] in
            for stream in streams where stream.shows.contains(.effects) { stream.sendEffect(event) }
        }
    }

    func deliver(presence news: EncodedPresence) {
        loop.execute { [self] in
            for stream in streams where stream.shows.contains(.presence) { stream.sendPresence(news) }
        }
    }

    func deliver(signal event: EncodedEvent) {
        loop.execute { [self] in
            for stream in streams where stream.shows.contains(.signals) { stream.sendSignal(event) }
        }
    }

    /// Ends the streams that fulfil a condition.
    ///
    /// - Parameter reason: the reason in `closed`; nil to end without that event.
    package func end(_ reason: String?, _ condition: @escaping @Sendable (Subscriber) -> Bool = { _ in true }) {
        loop.execute { [self] in
            for stream in streams where condition(stream) { stream.end(reason) }
        }
    }
}
