import Locks
import StoreHosting
import Stores

/// The value for a slow client that has read what was sent.
package struct NewestValue: Sendable {
    package let event: StateEvent
    /// News for a client that has the value already; nil if it does not ask.
    package var ready: ReadyNews?
    /// The value contains the entries up to this decision.
    package var decision = 0
}

// Values for one stream.
extension EventHub {
    /// The newest value that a stream shows, once it is durable; nil if no stream has its subscription, or if its actor may not read
    /// it.
    package func newest(for stream: Subscriber) -> Handling<NewestValue>? {
        let (subscription, visitor) = (stream.subscription, stream.visitor)
        var newest: NewestValue?
        session.store.inspect { state in
            if let visitor, !session.letsRead(visitor, in: state) { return }
            newest = contents.withLock { contents in
                let index = contents.topics.index(of: subscription)
                return index.map { newestValue(&contents.topics[$0].topic, stream.sync, state) }
            }
        }
        return newest.map { session.release($0, upTo: $0.event.revision) }
    }

    private func newestValue(
        _ topic: inout Topic, _ sync: SyncReader?, _ state: borrowing StateView
    ) -> NewestValue {
        var event = value(&topic, state)
        guard let sync, let own = knowledge(of: sync) else { return NewestValue(event: event) }
        event.through = own.news
        return NewestValue(event: event, ready: ReadyNews(state.revision, own.told), decision: own.decision)
    }

    func value(_ topic: inout Topic, _ state: borrowing StateView) -> StateEvent {
        StateEvent(
            historyID: historyID(of: topic.subscription), revision: state.revision, json: topic.value(state),
            lastChangedRevision: topic.lastChangedRevision)
    }

    /// The first events of a stream.
    func initialEvents(
        _ topic: inout Topic, _ stream: Subscriber, _ state: borrowing StateView, _ seen: EventID?,
        _ earlier: MissedCommits?, _ maxBytes: Int
    ) -> InitialEvents {
        let content = InitialContent(
            seen: seen, historyID: historyID(of: topic.subscription), revision: state.revision,
            lastChangedRevision: topic.lastChangedRevision, format: topic.subscription.format)
        let missed = missedCommits(stream, content, after: seen, upTo: state.revision, earlier, maxBytes)
        let own = stream.sync.flatMap(knowledge)
        var initial = initialEvents(content, missed, &topic, state, seen, through: own?.through ?? .none)
        if stream.shows.contains(.ready) { initial.ready = ReadyNews(state.revision, own?.told) }
        initial.decision = own?.decision ?? 0
        return initial
    }

    /// - Parameter through: the client of the stream, if its entries are to be named.
    private func initialEvents(
        _ content: InitialContent, _ missed: MissedCommits?, _ topic: inout Topic, _ state: borrowing StateView,
        _ seen: EventID?, through: Through
    ) -> InitialEvents {
        switch content {
        case .nothing:
            let actions = missed?.actions(around: seen?.revision ?? 0)
            return InitialEvents(.events(upTo: state.revision, .none), actions ?? .none)
        case .patches:
            if let missed, let (events, last) = missed.events(through) {
                return InitialEvents(.events(upTo: state.revision, events), missed.actions(around: last))
            }
        case .state: break
        }
        var event = value(&topic, state)
        event.through = through
        return InitialEvents(.state(event), missed?.actions(around: state.revision) ?? .none)
    }

    /// The commits that the client has missed; nil if it needs none of them.
    private func missedCommits(
        _ stream: Subscriber, _ content: InitialContent, after seen: EventID?, upTo newest: Int,
        _ earlier: MissedCommits?, _ maxBytes: Int
    ) -> MissedCommits? {
        let needsPatches = if case .patches = content { true } else { false }
        let showsActions = stream.shows.contains(.actions)
        let historyID = historyID(of: stream.subscription)
        guard needsPatches || showsActions, let revision = seen?.revision(in: historyID, upTo: newest) else {
            return nil
        }
        var missed =
            earlier
            ?? MissedCommits(
                stream.subscription, stream.shows, historyID: historyID, after: revision,
                maxBytes: maxBytes)
        let later = session.journal?.bufferedCommits(after: missed.revision, limit: max(0, newest - missed.revision))
        if let later { missed.add(later) } else { missed.skip(to: newest) }
        return missed
    }
}
