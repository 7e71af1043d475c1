import Locks
import StoreHosting
import Stores

// Commits.
extension EventHub {
    /// Called inside the store, in the order of commits.
    ///
    /// - Parameter endsPermits: whether some permits cannot be used any more.
    func committed(_ state: borrowing StateView, endsPermits: Bool = false) {
        var revocation: Revocation?
        let deliveries: [(EventFrame, ShortList<SubscriberGroup>)] = contents.withLock { contents in
            guard !contents.topics.isEmpty else { return [] }
            if endsPermits || !contents.visitors.isEmpty {
                revocation = self.revocation(among: contents, state, endsPermits)
            }
            if !contents.clients.isEmpty { advance(to: state) }
            let changes = Topic.changes(of: state.commits)
            var deliveries: [(EventFrame, ShortList<SubscriberGroup>)] = []
            for index in contents.topics.indices {
                let change = contents.topics[index].topic.update(state, changes)
                guard change != nil || contents.topics[index].showsActions else { continue }
                deliveries.append((frame(change, &contents.topics[index], state), contents.topics[index].groups))
            }
            return deliveries
        }
        guard !deliveries.isEmpty || revocation != nil else { return }
        // Outside the lock: if the journal has failed, this disconnects the streams at once.
        session.release(.events(deliveries, revocation), upTo: state.revision)
    }

    /// The end of the streams of visitors who may not read the state, and of permits; nil if there are none. Each visitor is asked for
    /// once, however many streams it has.
    @inline(never)
    private func revocation(
        among contents: borrowing SessionStreams.Contents, _ state: borrowing StateView, _ endsPermits: Bool
    ) -> Revocation? {
        var losers: Set<Actor> = []
        for visitor in contents.visitors.keys where !session.letsRead(visitor, in: state) {
            losers.insert(visitor)
        }
        guard endsPermits || !losers.isEmpty else { return nil }
        return Revocation(of: losers, endsPermits, at: state.revision, contents.topics.flatMap(\.groups))
    }

    /// - Parameter change: nil if the selected value is unchanged.
    private func frame(
        _ change: Topic.Change?, _ topic: inout SubscribedTopic, _ state: borrowing StateView
    ) -> EventFrame {
        guard let change, !topic.showsActions, !topic.showsThrough else { return variants(change, &topic, state) }
        return EventFrame(state.revision, event(of: change, .none, &topic.topic, state))
    }

    /// Each variant of a frame that a stream of the topic needs.
    @inline(never)
    private func variants(
        _ change: Topic.Change?, _ topic: inout SubscribedTopic, _ state: borrowing StateView
    ) -> EventFrame {
        var told = (through: Through.none, ready: [ClientKey: ReadyNews]())
        var (plain, named): (EncodedEvent?, EncodedEvent?)
        if let change {
            if topic.showsThrough { told = takeTold(&topic, state.revision) }
            if told.through != .none { named = event(of: change, told.through, &topic.topic, state) }
            if named == nil || topic.showsPlain { plain = event(of: change, .none, &topic.topic, state) }
        }
        var variants = EventFrame.Variants(through: named)
        if topic.showsActions {
            let (codec, historyID) = (topic.topic.subscription.format.codec, historyID(of: topic.topic.subscription))
            // An action has an id if no event of a value follows, whose id stands for both.
            let actions = codec.bytes(of: state.commits, change == nil ? historyID : nil)
            variants.actions =
                plain.map { codec.encode(events: actions, before: $0) }
                ?? (change == nil ? codec.encode(events: actions) : nil)
            variants.both = named.map { codec.encode(events: actions, before: $0) }
        }
        return EventFrame(state.revision, plain ?? .none, variants, decision: topic.decision, ready: told.ready)
    }

    private func event(
        of change: Topic.Change, _ through: Through, _ topic: inout Topic, _ state: borrowing StateView
    ) -> EncodedEvent {
        let format = topic.subscription.format
        switch change {
        case .value:
            var event = value(&topic, state)
            event.through = through
            return format.codec.encode(event, skipped: 0, at: session.now)
        case .patch(let patch):
            guard let codec = format.patchCodec else { preconditionFailure("a format of values got a patch") }
            return codec.encode(
                PatchEvent(
                    historyID: historyID(of: topic.subscription), revision: state.revision, patch: patch,
                    through: through))
        case .commits(let event): return event
        }
    }
}
