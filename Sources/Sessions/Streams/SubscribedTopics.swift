import StoreHosting
import Stores

/// The topics of a session: those that all clients share, and behind them those of one actor each.
///
/// A session has few of the first, and a linear search is fast enough. Of the others it may have a thousand.
struct SubscribedTopics {
    private var common = ShortList<SubscribedTopic>()
    private var personal: [SubscribedTopic] = []
    /// Where the personal ones are.
    private var places: [StreamSubscription: Int] = [:]
    /// How many of them each actor has, under all its names and roles.
    private var counts: [Actor.Key: Int] = [:]

    /// The index of the topic with a subscription.
    func index(of subscription: StreamSubscription) -> Int? {
        guard subscription.isPersonal else { return common.firstIndex { $0.topic.subscription == subscription } }
        return places[subscription].map { common.count + $0 }
    }

    /// Whether a topic more would be too many. An actor may have as many of its own as all clients share, so that it cannot take the places
    /// of the others.
    func isFull(for subscription: StreamSubscription, _ limits: StreamLimits) -> Bool {
        guard let reader = subscription.selection.reader else { return common.count >= limits.maxViews }
        return personal.count >= limits.maxActorViews || counts[reader.key, default: 0] >= limits.maxViews
    }

    /// Adds a topic with a new subscription.
    ///
    /// - Returns: its index.
    mutating func add(_ topic: SubscribedTopic) -> Int {
        let subscription = topic.topic.subscription
        guard let reader = subscription.selection.reader else {
            common.append(topic)
            return common.count - 1
        }
        counts[reader.key, default: 0] += 1
        places[subscription] = personal.count
        personal.append(topic)
        return common.count + personal.count - 1
    }

    /// Removes a topic. The last one may get its index.
    mutating func remove(at index: Int) {
        guard index >= common.count else {
            common.remove(at: index)
            return
        }
        let place = index - common.count
        personal.swapAt(place, personal.count - 1)
        let removed = personal.removeLast().topic.subscription
        places[removed] = nil
        if let reader = removed.selection.reader, let count = counts[reader.key] {
            counts[reader.key] = count > 1 ? count - 1 : nil
        }
        if place < personal.count { places[personal[place].topic.subscription] = place }
    }
}

extension SubscribedTopics: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }

    var endIndex: Int { common.count + personal.count }

    subscript(index: Int) -> SubscribedTopic {
        get { index < common.count ? common[index] : personal[index - common.count] }
        _modify {
            if index < common.count {
                yield &common[index]
            } else {
                yield &personal[index - common.count]
            }
        }
    }
}
