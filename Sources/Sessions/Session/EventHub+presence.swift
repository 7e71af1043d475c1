import Locks
import StoreHosting

// Presence: the list of the actors that watch the session.
extension EventHub {
    private var now: Int { session.runtime.environment.steadyNow() }

    /// A stream was added. Called with the lock of the streams.
    ///
    /// - Returns: when streams have to be told; nil for never.
    func entered(_ stream: Subscriber, _ presence: inout PresenceTable) -> Int? {
        stream.presence.begin(after: presence.newsNumber)
        presence.opened(by: stream.actor, isReader: stream.shows.contains(.presence), now: now)
        return presence.due
    }

    /// A stream was removed. Called with the lock of the streams.
    ///
    /// - Returns: when streams have to be told; nil for never.
    func left(_ stream: Subscriber, _ presence: inout PresenceTable) -> Int? {
        presence.closed(
            by: stream.actor, isReader: stream.shows.contains(.presence), grace: session.runtime.limits.presenceGrace,
            now: now)
        return presence.due
    }

    func tellPresence(at due: Int?) { if let due { session.runtime.presence.tell(session, at: due) } }

    /// A stream was too slow for its news, and can take others now.
    package func tellMissedPresence() {
        tellPresence(
            at: contents.withLock { contents in
                contents.presence.missedNews()
                return contents.presence.due
            })
    }

    /// The clients that watch now.
    func presence() -> PresenceList { contents.withLock { $0.presence.list(now: now) } }
}

extension Session: PresenceOwner {
    package func tellPresence() -> Int? {
        guard let events = existingEvents else { return nil }
        let (news, due) = events.takePresenceNews()
        if let news { release(.presence(events.deliveries { $0.encode(news, at: now) }), upTo: 0) }
        return due
    }
}

extension EventHub {
    fileprivate func takePresenceNews() -> (PresenceNews?, due: Int?) {
        contents.withLock { contents in
            let news = contents.presence.news(now: now)
            return (news, contents.presence.due)
        }
    }
}

extension EventCodec {
    fileprivate func encode(_ news: PresenceNews, at time: Int) -> EncodedPresence {
        EncodedPresence(
            number: news.number, whole: news.whole.map { encode($0, at: time) },
            change: news.change.map { encode($0, at: time) })
    }
}
