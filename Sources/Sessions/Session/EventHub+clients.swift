import Locks
import StoreHosting

// The entries of clients, and the streams that are told of them.
extension EventHub {
    /// A stream was added. Called inside the store, with the lock of the streams.
    ///
    /// - Returns: the change of its client's record that is to be written; nil if there is none.
    func opened(_ stream: Subscriber, _ topic: inout SubscribedTopic) -> ClientChange? {
        guard let client = stream.sync?.client else { return nil }
        let now = session.sessionTime
        return session.clients.withRecords { records in
            records.streamOpened(client)
            if topic.throughCount == 1 { topic.decision = records.decision }
            return records.use(client, now: now)
        }
    }

    /// A stream was removed.
    func closed(_ stream: Subscriber) {
        guard let client = stream.sync?.client else { return }
        let now = session.sessionTime
        session.existingClients?.withRecords { $0.streamClosed(client, now: now) }
    }

    /// Lets events name the entry that was committed, if it is one.
    @inline(never)
    func advance(to state: borrowing StateView) {
        guard let tag = state.tag as? EntryTag else { return }
        session.existingClients?.withRecords { $0.advance(tag) }
    }

    /// The clients that the next event of a topic names, and the news for those that it should name and does not.
    func takeTold(
        _ topic: inout SubscribedTopic, _ revision: Int
    ) -> (through: Through, ready: [ClientKey: ReadyNews]) {
        guard let clients = session.existingClients else { return (.none, [:]) }
        return clients.withRecords { records in
            defer { topic.decision = records.decision }
            let through = records.marks(after: topic.decision, limit: Through.maxNames)
            guard through == .tooMany else { return (through, [:]) }
            return (
                through,
                records.entries(after: topic.decision).mapValues { ReadyNews(revision, ($0, records.decision)) }
            )
        }
    }

    /// The entries of clients that a value contains.
    struct Knowledge {
        /// The client of the stream, and its last entry; nil if it has no record.
        let told: (entry: ToldEntry, decision: Int)?
        /// The clients that the stream has not been told of yet.
        let news: Through
        let decision: Int

        /// Names the client of the stream alone.
        var through: Through { told.map { .names([$0.entry]) } ?? .none }
    }

    /// Nil if the session has no records.
    func knowledge(of sync: SyncReader) -> Knowledge? {
        session.existingClients?.withRecords { records in
            Knowledge(
                told: records.told(sync.client), news: records.marks(after: sync.decision, limit: Through.maxNames),
                decision: records.decision)
        }
    }

    /// Tells the streams of a client of its last entry, unless a value has. Called inside the store, behind the record of the entry.
    func announce(_ client: ClientKey, _ state: borrowing StateView) {
        guard let groups = contents.withLock({ $0.clients[client] }),
            let told = session.existingClients?.withRecords({ $0.told(client) })
        else { return }
        var listeners = ShortList<SubscriberGroup>()
        for group in groups where !listeners.contains(where: { $0 === group }) { listeners.append(group) }
        let frame = EventFrame(
            state.revision, .none, EventFrame.Variants(), ready: [client: ReadyNews(state.revision, told)])
        session.release(.events([(frame, listeners)], nil), upTo: state.revision)
    }
}
