import HTTP
import Locks
import Sockets
import Stores

/// Brings a session's commits to its streams.
///
/// Streams that show the same selection share one channel of events: each commit is compared and encoded once for it, and
/// the same bytes go to all of them, one job a loop. Nothing is sent while the store is locked.
final class EventHub: Sendable {
    fileprivate struct Contents {
        var topics: [Selection: Topic] = [:]
        var count = 0
        var watch: Subscription?
        var hasEnded = false
    }

    /// What one selection shows, and to whom.
    fileprivate struct Topic {
        /// The selected value at `revision`, the newest commit.
        var json: [UInt8]
        var revision: Int
        /// The commit that changed it last.
        var changedAt: Int
        /// Those who watch, by loop.
        var audiences: [Audience] = []
    }

    private let store: HostedStore
    /// Names this history of revisions in event ids, so that those of another are known as such.
    private let history = String(UInt64.random(in: .min ... .max), radix: 36)
    // Guards who watches what, and what was shown last. Taken inside the store's lock, never around it.
    private let contents = Locked(Contents())

    init(store: HostedStore) { self.store = store }

    /// How many streams there are.
    var count: Int { contents.withLock { $0.count } }

    /// Adds a stream, unless there are `most` already, or the session has ended.
    ///
    /// - Returns: the first event to show: nothing that is committed later is missing behind it, and nothing repeated.
    func add(_ stream: EventStream, _ most: Int) -> Admission {
        var admission = Admission.full
        // Inside the store no commit can come between the snapshot and the subscription.
        store.inspect { view in
            admission = contents.withLock { contents in
                if contents.hasEnded { return .ended }
                guard contents.count < most else { return .full }
                contents.count += 1
                if contents.watch == nil {
                    contents.watch = store.watch { [weak self] view in self?.publish(view) }
                }
                return .first(contents.enter(stream, view, history))
            }
        }
        return admission
    }

    /// Takes a stream out, on its loop.
    func remove(_ stream: EventStream) {
        let unused: Subscription? = contents.withLock { contents in
            guard contents.topics[stream.selection]?.leave(stream) == true else { return nil }
            contents.count -= 1
            if contents.topics[stream.selection]?.audiences.isEmpty == true {
                contents.topics[stream.selection] = nil
            }
            guard contents.topics.isEmpty else { return nil }
            defer { contents.watch = nil }
            return contents.watch
        }
        unused?.cancel()
    }

    /// The newest value of a selection that is being watched.
    func newest(_ selection: Selection) -> StateEvent? {
        contents.withLock { contents in
            contents.topics[selection].map {
                StateEvent(history: history, revision: $0.revision, json: $0.json, changedAt: $0.changedAt)
            }
        }
    }

    /// Says goodbye to all streams, once.
    func end(_ reason: String) {
        let audiences: [Audience] = contents.withLock { contents in
            contents.hasEnded = true
            return contents.topics.values.flatMap(\.audiences)
        }
        for audience in audiences { audience.end(reason) }
    }

    /// Called inside the store, in the order of commits.
    private func publish(_ view: borrowing StateView) {
        contents.withLock { contents in
            for selection in contents.topics.keys {
                let json = view.encoded(selection)
                guard let event = contents.topics[selection]?.update(json, view.revision, history) else { continue }
                let frame = EventFrame(event)
                for audience in contents.topics[selection]?.audiences ?? [] { audience.deliver(frame) }
            }
        }
    }
}

/// Whether a stream was let in.
enum Admission {
    case first(StateEvent)
    case full
    case ended
}

extension EventHub.Contents {
    fileprivate mutating func enter(
        _ stream: EventStream, _ view: borrowing StateView, _ history: String
    ) -> StateEvent {
        var topic =
            topics[stream.selection]
            ?? EventHub.Topic(
                json: view.encoded(stream.selection), revision: view.revision, changedAt: view.revision)
        topic.enter(stream)
        topics[stream.selection] = topic
        return StateEvent(
            history: history, revision: topic.revision, json: topic.json, changedAt: topic.changedAt)
    }
}

extension EventHub.Topic {
    /// Takes the value at a new revision; the event that shows it, where it differs.
    fileprivate mutating func update(_ json: [UInt8], _ revision: Int, _ history: String) -> StateEvent? {
        self.revision = revision
        guard self.json != json else { return nil }
        self.json = json
        changedAt = revision
        return StateEvent(history: history, revision: revision, json: json, changedAt: revision)
    }

    fileprivate mutating func enter(_ stream: EventStream) {
        if let audience = audiences.first(where: { $0.loop === stream.loop }) {
            audience.add(stream)
        } else {
            audiences.append(Audience(first: stream))
        }
    }

    fileprivate mutating func leave(_ stream: EventStream) -> Bool {
        guard let place = audiences.firstIndex(where: { $0.loop === stream.loop }),
            audiences[place].remove(stream)
        else { return false }
        if audiences[place].isEmpty { audiences.remove(at: place) }
        return true
    }
}
