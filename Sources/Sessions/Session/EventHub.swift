import Locks
package import StoreHosting
import Stores
package import Threads

/// Brings a session's commits to its event streams. It stores nothing: the streams are those of ``SessionStreams``.
///
/// Streams with the same subscription share a topic: each commit is projected and encoded once for it, and the same
/// bytes go to all of its streams, in one job for each loop. Nothing is sent while the store is locked, and no event
/// before its commit is durable.
package struct EventHub: Sendable {
    let session: Session
    let contents: Locked<SessionStreams.Contents>

    init(_ session: Session, _ streams: SessionStreams) {
        self.session = session
        contents = streams.contents
    }

    private var store: HostedStore { session.store }

    func historyID(of subscription: StreamSubscription) -> String {
        subscription.historyID ?? session.historyID
    }

    /// How many streams there are.
    package var count: Int { contents.withLock { $0.state.subscriberCount } }

    /// Whether all clients have the same one speak for them.
    package func areAll(from origin: UInt16) -> Bool { contents.withLock { $0.state.areAll(from: origin) } }

    /// Whether streams may subscribe.
    package var phase: EventHubState.Phase { contents.withLock { $0.state.phase } }

    /// Adds a stream.
    ///
    /// No commit is missing between the initial events and the later ones, and none is repeated.
    ///
    /// - Parameters:
    ///   - seen: the last event that the client has, if any.
    ///   - earlier: the commits after `seen` that the journal does not buffer any more; nil if there are none.
    /// - Returns: the initial events, which may not be durable yet.
    package func subscribe(
        _ stream: Subscriber, on loop: any SerialLoop, to subscription: StreamSubscription, seen: EventID?,
        earlier: MissedCommits?, within limits: StreamLimits
    ) throws(SessionFailure) -> InitialEvents {
        stream.subscription = subscription
        var result = Result<InitialEvents, EventHubState.Refusal>.failure(.sessionDetached)
        var presenceIsDue: Int?
        var change: ClientChange?
        // Inside the store no commit can come between the snapshot and the subscription, and the store cannot end.
        store.inspect { state in
            if session.continuesElsewhere { return }
            if let visitor = stream.visitor, !session.letsRead(visitor, in: state) {
                result = .failure(.accessDenied)
                return
            }
            result = contents.withLock { contents in
                switch contents.subscribe(stream, limits) {
                case .refused(let refusal): return .failure(refusal)
                case .accepted(let starts):
                    observe(starts, &contents)
                    let index = contents.add(stream, on: loop, state)
                    presenceIsDue = entered(stream, &contents.presence)
                    change = opened(stream, &contents.topics[index])
                    return .success(
                        initialEvents(
                            &contents.topics[index].topic, stream, state, seen, earlier, limits.maxMissedBytes))
                }
            }
            if let change {
                let transaction = CommitTransaction(baseRevision: state.revision, record: .client(change))
                session.journal?.append(transaction, state)
            }
        }
        tellPresence(at: presenceIsDue)
        switch result {
        case .success(let initial): return initial
        case .failure(let refusal): throw refusal.failure(limits, of: subscription)
        }
    }

    private func observe(_ starts: EventHubState.Observation, _ contents: inout SessionStreams.Contents) {
        // The session stays attached without streams, and has nothing to do then. From now on the store retains it: Session.end()
        // and detach() break this cycle.
        if starts.commits { store.attach(session) }
        if starts.effects {
            contents.effectSubscription = store.watchEffects { [weak session] in session?.events.publish($0) }
        }
    }

    /// Removes a stream. On its loop only.
    package func unsubscribe(_ stream: Subscriber) {
        // The subscription is cancelled outside the lock.
        let (unused, presenceIsDue): (Subscription?, Int?) = contents.withLock { contents in
            guard contents.remove(stream) else { return (nil, nil) }
            closed(stream)
            let due = left(stream, &contents.presence)
            let isLast = contents.state.unsubscribe(
                showsEffects: stream.shows.contains(.effects), from: stream.origin)
            return (isLast ? contents.effectSubscription.take() : nil, due)
        }
        unused?.cancel()
        tellPresence(at: presenceIsDue)
    }

    /// Ends all streams: the session continues elsewhere, and the clients reconnect.
    ///
    /// - Parameter reason: the reason in `closed`; nil to end without that event, if commits may be lost.
    func disconnectAll(_ reason: String? = nil) {
        let groups: [SubscriberGroup] = contents.withLock { contents in
            contents.state.detach()
            return contents.topics.flatMap(\.groups)
        }
        for group in groups { group.end(reason) }
    }

    /// Ends all streams with `closed`, behind the events of everything committed before.
    package func end(_ reason: String) {
        contents.withLock { $0.state.end() }
        session.release(.end(self, reason), upTo: 0)
    }

    /// Ends the streams of revoked permits with `closed`. The permits must be revoked before, so that no other stream comes.
    func endRevoked() { session.release(.revocation(self), upTo: 0) }

    fileprivate func endAll(_ reason: String) {
        for group in contents.withLock({ $0.topics.flatMap(\.groups) }) { group.end(reason) }
    }

    fileprivate func endThoseOfRevokedPermits() {
        let shared = contents.withLock { contents in
            contents.topics.filter { $0.topic.subscription.isByPermit }.flatMap(\.groups)
        }
        for group in shared { group.end("revoked") { $0.hasInvalidPermit } }
    }
}

/// Events for the streams of a session, or the end of streams.
enum StreamNews: Sendable {
    /// First the streams end that may not get them.
    case events([(EventFrame, ShortList<SubscriberGroup>)], Revocation?)
    case effect([(EncodedEvent, ShortList<SubscriberGroup>)])
    case presence([(EncodedPresence, ShortList<SubscriberGroup>)])
    case signal([(EncodedEvent, ShortList<SubscriberGroup>)])
    /// The session has ended, for a reason.
    case end(EventHub, String)
    /// Permits were revoked.
    case revocation(EventHub)

    func send() {
        switch self {
        case .events(let deliveries, let revocation):
            revocation?.perform()
            for (frame, groups) in deliveries {
                for group in groups { group.deliver(frame) }
            }
        case .effect(let deliveries):
            for (event, groups) in deliveries {
                for group in groups { group.deliver(effect: event) }
            }
        case .presence(let deliveries):
            for (news, groups) in deliveries {
                for group in groups { group.deliver(presence: news) }
            }
        case .signal(let deliveries):
            for (event, groups) in deliveries {
                for group in groups { group.deliver(signal: event) }
            }
        case .end(let hub, let reason): hub.endAll(reason)
        case .revocation(let hub): hub.endThoseOfRevokedPermits()
        }
    }
}

// Publishing.
extension EventHub {
    /// Called inside the store, in order with the commits, and delivered in the same order.
    private func publish(_ event: EffectEvent) {
        session.release(.effect(deliveries { $0.encode(event, at: session.now) }), upTo: store.revision)
    }

    /// What the streams of each topic get. Formats with the same codec share it.
    func deliveries<Event>(
        _ encode: (any EventCodec) -> Event
    ) -> [(Event, ShortList<SubscriberGroup>)] {
        let topics = contents.withLock { $0.topics.map { ($0.topic.subscription.format.codec, $0.groups) } }
        var encoded: [ObjectIdentifier: Event] = [:]
        var deliveries: [(Event, ShortList<SubscriberGroup>)] = []
        for (codec, groups) in topics {
            let known = encoded[ObjectIdentifier(codec)] ?? encode(codec)
            encoded[ObjectIdentifier(codec)] = known
            deliveries.append((known, groups))
        }
        return deliveries
    }
}

extension Session: CommitWatcher {
    /// Brings commits to streams.
    package var events: EventHub { EventHub(self, streams.load(orStore: SessionStreams())) }

    /// The event hub; nil if the session never had a stream.
    package var existingEvents: EventHub? { streams.load().map { EventHub(self, $0) } }

    package var streamCount: Int { existingEvents?.count ?? 0 }

    package func committed(_ state: borrowing StateView) {
        let endsPermits = permits.askForMakers(now: now) { keepsPermits(of: $0, in: state) }
        existingEvents?.committed(state, endsPermits: endsPermits)
        if endsPermits { existingPermitWaits?.endRevoked() }
    }
}

extension Session {
    /// The waits that end with a permit; made with the first.
    var permitWaits: PermitWaits { streams.load(orStore: SessionStreams()).permitWaits.load(orStore: PermitWaits()) }

    /// The waits that end with a permit; nil if none has begun yet.
    var existingPermitWaits: PermitWaits? { streams.load()?.permitWaits.load() }
}

extension EventHubState.Refusal: Error {
    fileprivate func failure(_ limits: StreamLimits, of subscription: StreamSubscription) -> SessionFailure {
        switch self {
        case .full: .stream(.tooMany(limit: limits.maxPerSession))
        case .tooManyViews where subscription.isPersonal:
            .stream(.tooManyActorViews(limit: limits.maxActorViews, each: limits.maxViews))
        case .tooManyViews: .stream(.tooManyViews(limit: limits.maxViews))
        case .sessionEnded: .absent(.endedMeanwhile)
        case .sessionDetached: .detached
        case .permitInvalid: .permit(.unknown)
        case .accessDenied: .forbidden(.session)
        }
    }
}
