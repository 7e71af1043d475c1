import Dispatch
import Locks

/// A session whose streams are told who watches it.
package protocol PresenceOwner: AnyObject, Sendable {
    /// Tells the streams what they have to be told now.
    ///
    /// - Returns: when to call it again; nil for never, unless somebody comes or leaves.
    func tellPresence() -> Int?
}

/// Calls each session when its streams have to be told who watches, one after the other, so that no news overtake others.
///
/// It costs nothing as long as nobody asks. It keeps no session in memory.
package final class PresenceUpdates: Sendable {
    private struct Entry {
        weak var owner: (any PresenceOwner)?
        var due: Int
    }

    private struct Contents {
        var waiting: [ObjectIdentifier: Entry] = [:]
        /// When the next round is; nil if none is.
        var nextRound: Int?
        /// That of the next round. Earlier ones, which a more urgent one has replaced, do nothing.
        var number = 0

        /// - Returns: the number and the delay of a round that has to be scheduled for this time; nil if the next one will do.
        mutating func round(for due: Int, now: Int) -> (number: Int, delay: Int)? {
            let delay = min(max(due - now, pauses.lowerBound), pauses.upperBound)
            if let next = nextRound, next <= now + delay { return nil }
            nextRound = now + delay
            number += 1
            return (number, delay)
        }
    }

    /// The times between two rounds, in milliseconds. Streams that open together are told once.
    private static let pauses = 20...PresenceTable.interval

    // Guards the sessions that wait. Nothing is called while it is held.
    private let contents = Locked(Contents())
    private let queue = DispatchQueue(label: "sessions.presence")
    private let now: @Sendable () -> Int

    /// - Parameter now: milliseconds of a clock that nobody sets.
    package init(now: @escaping @Sendable () -> Int) { self.now = now }

    /// Calls a session at a time, unless it is called earlier.
    package func tell(_ owner: any PresenceOwner, at due: Int) {
        let now = now()
        let round = contents.withLock { contents in
            let known = contents.waiting[ObjectIdentifier(owner)]
            // Another session may have had this address.
            let earlier = known?.owner === owner ? known?.due : nil
            contents.waiting[ObjectIdentifier(owner)] = Entry(owner: owner, due: min(due, earlier ?? due))
            return contents.round(for: due, now: now)
        }
        schedule(round)
    }

    private func schedule(_ round: (number: Int, delay: Int)?) {
        guard let round else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(round.delay)) { [weak self] in self?.run(round.number) }
    }

    private func run(_ number: Int) {
        let now = now()
        let owners = contents.withLock { contents -> [any PresenceOwner] in
            guard number == contents.number else { return [] }
            contents.nextRound = nil
            let due = contents.waiting.filter { $0.value.due <= now }
            for key in due.keys { contents.waiting[key] = nil }
            return due.values.compactMap(\.owner)
        }
        for owner in owners {
            if let next = owner.tellPresence() { tell(owner, at: next) }
        }
        schedule(
            contents.withLock { contents in
                guard number == contents.number else { return nil }
                contents.waiting = contents.waiting.filter { $0.value.owner != nil }
                return contents.waiting.values.map(\.due).min().flatMap { contents.round(for: $0, now: self.now()) }
            })
    }
}
