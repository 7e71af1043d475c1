import HTTP
import Locks
import Sockets
import StoreHosting
import Stores

/// Brings a session's commits to its streams.
///
/// Streams that show the same share one topic: each commit is looked at and encoded once for it, and the same bytes go to
/// all of them, one job a loop. Nothing is sent while the store is locked, and nothing that is not kept.
final class EventHub: Sendable {
    fileprivate struct Contents {
        /// Few, so that none is looked up but by going through them.
        var topics: [Topic] = []
        var count = 0
        var watch: Subscription?
        /// How many streams show what happens to effects.
        var effectCount = 0
        /// Nil where none does.
        var effectWatch: Subscription?
        var hasEnded = false
        /// Whether the session goes on elsewhere.
        var hasLeft = false
    }

    private let store: HostedStore
    private let journal: (any SessionJournal)?
    private let history: String
    // Guards who watches what, and what was shown last. Taken inside the store's lock, never around it.
    private let contents = Locked(Contents())

    init(_ store: HostedStore, _ journal: (any SessionJournal)?, history: String) {
        self.store = store
        self.journal = journal
        self.history = history
    }

    /// How many streams there are.
    var count: Int { contents.withLock { $0.count } }

    /// Adds a stream, unless there are `most` already, or the session has ended.
    ///
    /// - Parameters:
    ///   - seen: the last event that the client has, if it had one.
    ///   - earlier: commits that it has missed and that are not at hand any more.
    ///   - open: called where what to show first is not kept yet, once it is, or is known not to be.
    /// - Returns: what to show first: nothing that is committed later is missing behind it, and nothing repeated.
    func add(
        _ stream: EventStream, _ most: Int, seen: EventID?, earlier: [CommitRecord] = [],
        open: @escaping @Sendable (Result<InitialEvents, JournalError>) -> Void
    ) -> Admission {
        var admission = Admission.full
        // Inside the store no commit can come between the snapshot and the subscription.
        store.inspect { state in
            admission = contents.withLock { contents in
                if contents.hasEnded { return .ended }
                if contents.hasLeft { return .left }
                guard contents.count < most else { return .full }
                contents.count += 1
                if contents.watch == nil {
                    contents.watch = store.watch { [weak self] state in self?.publish(state) }
                }
                if stream.showsEffects {
                    contents.effectCount += 1
                    contents.effectWatch =
                        contents.effectWatch ?? store.watchEffects { [weak self] in self?.publish($0) }
                }
                let topic = contents.enter(stream, state)
                return .opening(opening(of: stream.view, topic, state, seen, earlier))
            }
            guard case .opening(let opening) = admission, let journal,
                !journal.isDurable(through: state.revision)
            else { return }
            // Asked for in here, it comes before whatever is committed later.
            journal.whenDurable(through: state.revision) { failure in
                open(failure.map(Result.failure) ?? .success(opening))
            }
            admission = .later
        }
        return admission
    }

    /// Takes a stream out, on its loop.
    func remove(_ stream: EventStream) {
        // Let go of outside the lock.
        let unused: [Subscription?] = contents.withLock { contents in
            guard let place = contents.topics.firstIndex(where: { $0.view == stream.view }),
                contents.topics[place].leave(stream)
            else { return [] }
            contents.count -= 1
            if stream.showsEffects { contents.effectCount -= 1 }
            if contents.topics[place].audiences.isEmpty { contents.topics.remove(at: place) }
            return [
                contents.topics.isEmpty ? contents.watch.take() : nil,
                contents.effectCount == 0 ? contents.effectWatch.take() : nil,
            ]
        }
        for subscription in unused { subscription?.cancel() }
    }

    /// Calls `show` with the newest value of what is being watched, once it is kept.
    func newest(_ view: StreamSubscription, _ show: @escaping @Sendable (StateEvent) -> Void) {
        var newest: StateEvent?
        store.inspect { state in
            newest = contents.withLock { contents in
                contents.topics.first { $0.view == view }.map { event(of: view, state, changedAt: $0.changedAt) }
            }
        }
        if let newest { whenDurable(through: newest.revision) { show(newest) } }
    }

    /// Calls `body` once the commits up to `revision` are durable. If one could not be persisted, the streams end without an
    /// event: the session goes on from what is durable, and their clients reconnect to it.
    private func whenDurable(through revision: Int, _ body: @escaping @Sendable () -> Void) {
        guard let journal, !journal.isDurable(through: revision) else { return body() }
        journal.whenDurable(through: revision) { [weak self] failure in
            if failure == nil { body() } else { self?.cut() }
        }
    }

    /// Ends all streams without a word, once.
    func cut() {
        let audiences: [SubscriberGroup] = contents.withLock { contents in
            contents.hasLeft = true
            return contents.topics.flatMap(\.audiences)
        }
        for audience in audiences { audience.end(nil) }
    }

    /// Says goodbye to all streams, once, behind whatever was committed before.
    func end(_ reason: String) {
        contents.withLock { $0.hasEnded = true }
        // Nobody else may hold the hub any more.
        whenDurable(through: 0) { [self] in
            for audience in contents.withLock({ $0.topics.flatMap(\.audiences) }) { audience.end(reason) }
        }
    }

    /// Called inside the store, in the order of commits.
    private func publish(_ state: borrowing StateView) {
        var changes = state.commits.first?.changes ?? EncodedPatch()
        for commit in state.commits.dropFirst() { changes.append(commit.changes) }
        let deliveries = contents.withLock { contents in
            var deliveries: [(EventFrame, [SubscriberGroup])] = []
            for place in contents.topics.indices {
                guard let change = contents.topics[place].update(state, changes) else { continue }
                let view = contents.topics[place].view
                let frame: EventFrame
                switch change {
                case .value: frame = EventFrame(event(of: view, state, changedAt: state.revision))
                case .patch(let patch):
                    frame = EventFrame(PatchEvent(history: history, revision: state.revision, patch: patch))
                case .lines(let lines): frame = EventFrame(state.revision, lines)
                }
                deliveries.append((frame, contents.topics[place].audiences))
            }
            return deliveries
        }
        guard !deliveries.isEmpty else { return }
        // Not inside the lock: where the journal has failed, the streams are cut at once.
        whenDurable(through: state.revision) {
            for (frame, audiences) in deliveries {
                for audience in audiences { audience.deliver(frame) }
            }
        }
    }

    /// Called inside the store too, in order with the commits, and goes the same way.
    private func publish(_ event: EffectEvent) {
        let audiences = contents.withLock { $0.topics.flatMap(\.audiences) }
        let frame = EffectFrame(event)
        whenDurable(through: store.revision) { for audience in audiences { audience.deliver(frame) } }
    }

    private func event(of view: StreamSubscription, _ state: borrowing StateView, changedAt: Int) -> StateEvent {
        StateEvent(
            history: history, revision: state.revision, json: state.encoded(view.selection), changedAt: changedAt)
    }
}

// What is shown first.
extension EventHub {
    private func opening(
        of view: StreamSubscription, _ topic: Topic, _ state: borrowing StateView, _ seen: EventID?,
        _ earlier: [CommitRecord]
    ) -> InitialEvents {
        if let seen, seen.history == history, seen.revision <= state.revision {
            if seen.revision >= topic.changedAt { return .missed(upTo: state.revision, []) }
            if view.form == .patch, let missed = missed(view, since: seen.revision, upTo: state.revision, earlier) {
                return .missed(upTo: state.revision, missed)
            }
        }
        return .value(event(of: view, state, changedAt: topic.changedAt))
    }

    /// The patches between two revisions; nil where only the state tells.
    private func missed(
        _ view: StreamSubscription, since revision: Int, upTo newest: Int, _ earlier: [CommitRecord]
    ) -> [UInt8]? {
        let known = earlier.last?.revision ?? revision
        guard let later = journal?.bufferedCommits(after: known, limit: max(0, newest - known)) else { return nil }
        var bytes: [UInt8] = []
        for commit in earlier + later {
            switch view.selection.narrow(commit.changes) {
            case .unchanged: continue
            case .unclear: return nil
            case .patch(let patch):
                bytes += PatchEvent(history: history, revision: commit.revision, patch: patch).encoded()
            }
            guard bytes.count <= Self.mostMissedBytes else { return nil }
        }
        return bytes
    }

    /// Where the patches that a client has missed take more, it gets the state.
    private static var mostMissedBytes: Int { 1 << 18 }
}

/// Whether a stream was let in.
enum Admission {
    case opening(InitialEvents)
    /// It is told later what to show first.
    case later
    case full
    case ended
    /// The session goes on elsewhere.
    case left
}

/// What a stream shows at once; what comes later belongs to later revisions.
enum InitialEvents: Sendable {
    /// The value as it is.
    case value(StateEvent)
    /// The events that the client has missed, ready to be sent.
    case missed(upTo: Int, [UInt8])
}

extension EventHub.Contents {
    fileprivate mutating func enter(_ stream: EventStream, _ state: borrowing StateView) -> Topic {
        let known = topics.firstIndex { $0.view == stream.view }
        if known == nil { topics.append(Topic(stream.view, state)) }
        let place = known ?? topics.count - 1
        topics[place].enter(stream)
        return topics[place]
    }
}
