package import Locks
package import StoreHosting
import Stores

/// The streams of a session. Most sessions never have a stream, so this object is made for the first one, or for the end of
/// the session. If both come at the same time, they get the same object, and it knows that the session is over.
final class SessionStreams: Sendable {
    package struct Contents {
        package var state = EventHubState()
        var topics = SubscribedTopics()
        var effectSubscription: Subscription?
        /// How many streams each visitor has.
        var visitors: [Actor: Int] = [:]
        /// The actors that have the streams.
        var presence = PresenceTable()
    }

    // Guards the subscribers and what they were sent last. It is locked inside the store's lock, never around it.
    package let contents = Locked(Contents())
    /// Nil for most sessions, which have no permits.
    let permitWaits = LazyReference<PermitWaits>()
}

/// A topic and the streams that are subscribed to it.
struct SubscribedTopic {
    package var topic: Topic
    /// The streams by loop.
    package var groups = ShortList<SubscriberGroup>()
    /// How many of the streams show actions.
    fileprivate(set) var actionStreams = 0
}

extension SessionStreams.Contents {
    package mutating func subscribe(
        _ stream: Subscriber, _ limits: StreamLimits
    ) -> EventHubState.Subscribing {
        if stream.hasInvalidPermit { return .refused(.permitInvalid) }
        let subscription = stream.subscription
        let isNew = topics.index(of: subscription) == nil
        return state.subscribe(
            showsEffects: stream.shows.contains(.effects), limit: limits.maxPerSession,
            exceedsViews: isNew && topics.isFull(for: subscription, limits), from: stream.origin)
    }

    /// On the loop of the stream.
    ///
    /// - Returns: the index of the stream's topic.
    package mutating func add(_ stream: Subscriber, on loop: any SerialLoop, _ state: borrowing StateView) -> Int {
        let subscription = stream.subscription
        let index =
            topics.index(of: subscription) ?? topics.add(SubscribedTopic(topic: Topic(subscription, state)))
        stream.subscription = topics[index].topic.subscription
        stream.firstRevision = state.revision
        if let visitor = stream.visitor { visitors[visitor, default: 0] += 1 }
        if stream.shows.contains(.actions) { topics[index].actionStreams += 1 }
        if let group = topics[index].groups.first(where: { $0.loop === loop }) {
            group.add(stream)
        } else {
            topics[index].groups.append(SubscriberGroup(first: stream, on: loop))
        }
        return index
    }

    /// On the loop of the stream.
    ///
    /// - Returns: whether the stream was there.
    package mutating func remove(_ stream: Subscriber) -> Bool {
        guard let index = topics.index(of: stream.subscription),
            let group = topics[index].groups.firstIndex(where: { $0.loop.isCurrent }),
            topics[index].groups[group].remove(stream)
        else { return false }
        if stream.shows.contains(.actions) { topics[index].actionStreams -= 1 }
        if let visitor = stream.visitor, let count = visitors[visitor] {
            visitors[visitor] = count > 1 ? count - 1 : nil
        }
        if topics[index].groups[group].isEmpty { topics[index].groups.remove(at: group) }
        if topics[index].groups.isEmpty { topics.remove(at: index) }
        return true
    }
}
