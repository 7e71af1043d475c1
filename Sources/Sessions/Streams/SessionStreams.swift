import Locks
package import StoreHosting
import Stores
package import Threads

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
        /// The clients that are told of their entries, with the group of each of their streams.
        var clients: [ClientKey: ShortList<SubscriberGroup>] = [:]
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
    /// How many of the streams get each variant of a frame.
    fileprivate var counts = SIMD4<Int32>()
    /// The streams that show whose entries a value contains have been told of those up to this decision.
    var decision = 0

    /// Whether some stream shows actions.
    var showsActions: Bool { counts[1] | counts[3] != 0 }
    /// Whether some stream shows whose entries a value contains.
    var showsThrough: Bool { counts[2] | counts[3] != 0 }
    /// Whether some stream does not show whose entries a value contains.
    var showsPlain: Bool { counts[0] | counts[1] != 0 }
    /// How many streams show whose entries a value contains.
    var throughCount: Int { Int(counts[2] + counts[3]) }
}

extension StreamExtras {
    /// Which bytes of a frame a stream gets.
    fileprivate var variant: Int { (contains(.actions) ? 1 : 0) + (contains(.through) ? 2 : 0) }
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
        topics[index].counts[stream.shows.variant] += 1
        let group: SubscriberGroup
        if let known = topics[index].groups.first(where: { $0.loop === loop }) {
            group = known
            group.add(stream)
        } else {
            group = SubscriberGroup(first: stream, on: loop)
            topics[index].groups.append(group)
        }
        if let sync = stream.sync { clients[sync.client, default: ShortList()].append(group) }
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
        topics[index].counts[stream.shows.variant] -= 1
        if let sync = stream.sync { remove(sync.client, in: topics[index].groups[group]) }
        if let visitor = stream.visitor, let count = visitors[visitor] {
            visitors[visitor] = count > 1 ? count - 1 : nil
        }
        if topics[index].groups[group].isEmpty { topics[index].groups.remove(at: group) }
        if topics[index].groups.isEmpty { topics.remove(at: index) }
        return true
    }

    private mutating func remove(_ client: ClientKey, in group: SubscriberGroup) {
        guard let place = clients[client]?.firstIndex(where: { $0 === group }) else { return }
        clients[client]?.remove(at: place)
        if clients[client]?.isEmpty == true { clients[client] = nil }
    }
}
