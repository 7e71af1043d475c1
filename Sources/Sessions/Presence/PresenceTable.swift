import StoreHosting
package import Stores

/// Counts the streams of a session by their actors, and decides when its streams are told of it, and what.
///
/// An actor is present from its first stream until it has had none for the grace. A client without an id has no name by which it
/// could come back, so its streams are only counted, and not missed when they end.
///
/// Its memory is bounded by the streams that are open: of those who have left, only some are remembered.
package struct PresenceTable: Sendable {
    /// The shortest time between two news, in milliseconds.
    package static let interval = 200
    /// How many actors without a stream may come back. One more leaves at once.
    package static let maxLeaving = 1000

    private struct Watcher: Sendable {
        var actor: Actor
        var streams: Int
        /// Numbers the actors in the order in which they came.
        let number: Int
    }

    private var watchers: [Actor.Key: Watcher] = [:]
    /// When those leave that have no stream.
    private var leaving: [Actor.Key: Int] = [:]
    /// No earlier than this.
    private var firstLeavesAt = Int.max
    private var lastNumber = 0
    private var anonymous = 0
    /// How many of the streams are told.
    private var readers = 0
    /// The list that the last news have led to; nil if there are none that a stream knows.
    private var told: PresenceList?
    /// Before this time there are no further news.
    private var nextNewsAt = 0
    /// The number of the last news.
    package private(set) var newsNumber: Int32 = 0
    private var isChanged = false
    private var needsWhole = false

    package init() {}

    /// A stream has opened.
    ///
    /// - Parameters:
    ///   - actor: nil for an anonymous one.
    ///   - isReader: whether the stream is told who watches.
    package mutating func opened(by actor: Actor?, isReader: Bool, now: Int) {
        removeThoseWhoLeft(now: now)
        if isReader {
            readers += 1
            needsWhole = true
        }
        guard let actor, !actor.id.isEmpty else {
            anonymous += 1
            isChanged = true
            return
        }
        let key = actor.key
        if watchers[key] == nil {
            lastNumber += 1
            watchers[key] = Watcher(actor: actor, streams: 0, number: lastNumber)
            isChanged = true
        }
        watchers[key]?.streams += 1
        // Its newest token has the name that it has now.
        watchers[key]?.actor = actor
        leaving[key] = nil
    }

    /// A stream has ended.
    ///
    /// - Parameter grace: how long its actor may come back, in milliseconds.
    package mutating func closed(by actor: Actor?, isReader: Bool, grace: Int, now: Int) {
        removeThoseWhoLeft(now: now)
        if isReader {
            readers -= 1
            if readers == 0 { (told, needsWhole) = (nil, false) }
        }
        guard let actor, !actor.id.isEmpty else {
            anonymous -= 1
            isChanged = true
            return
        }
        let key = actor.key
        guard let streams = watchers[key]?.streams else { return }
        watchers[key]?.streams = streams - 1
        if streams > 1 { return }
        if grace > 0, leaving.count < Self.maxLeaving {
            leaving[key] = now + grace
            firstLeavesAt = min(firstLeavesAt, now + grace)
        } else {
            watchers[key] = nil
            isChanged = true
        }
    }

    /// A stream was too slow for its news.
    package mutating func missedNews() { if readers > 0 { needsWhole = true } }

    private mutating func removeThoseWhoLeft(now: Int) {
        guard firstLeavesAt <= now else { return }
        for (key, time) in leaving where time <= now {
            leaving[key] = nil
            watchers[key] = nil
            isChanged = true
        }
        firstLeavesAt = leaving.values.min() ?? .max
    }

    /// When to ask for news; nil if that would be in vain until a stream opens or ends.
    package var due: Int? {
        let news = readers > 0 && (isChanged || needsWhole) ? nextNewsAt : nil
        if firstLeavesAt == .max { return news }
        return min(news ?? firstLeavesAt, firstLeavesAt)
    }

    /// The next news for the streams; nil if nothing has changed, or if it is too early.
    package mutating func news(now: Int) -> PresenceNews? {
        removeThoseWhoLeft(now: now)
        guard readers > 0, isChanged || needsWhole, nextNewsAt <= now else { return nil }
        let new = list
        let change = told.flatMap { PresenceChange(from: $0, to: new) }
        let whole = needsWhole ? new : nil
        (told, isChanged, needsWhole) = (new, false, false)
        guard whole != nil || change != nil else { return nil }
        nextNewsAt = now + Self.interval
        newsNumber += 1
        return PresenceNews(number: newsNumber, whole: whole, change: change)
    }

    /// The list of the actors that watch now.
    package mutating func list(now: Int) -> PresenceList {
        removeThoseWhoLeft(now: now)
        return list
    }

    private var list: PresenceList {
        let counts = PresenceList(present: nil, actorCount: watchers.count, anonymous: anonymous)
        guard watchers.count <= PresenceList.maxActors else { return counts }
        var byteCount = 0
        for watcher in watchers.values { byteCount += watcher.actor.json.count }
        guard byteCount <= PresenceList.maxBytes else { return counts }
        let present = watchers.values.sorted { $0.number < $1.number }
            .map { PresenceList.Present($0.actor, streams: $0.streams) }
        return PresenceList(present: present, anonymous: anonymous)
    }
}
