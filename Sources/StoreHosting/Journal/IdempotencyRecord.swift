/// The response to a request with an idempotency key, without the state that it shows.
@usableFromInline
package struct IdempotencyRecord: Sendable, Equatable {
    /// How long a record is valid, in milliseconds.
    package static let lifetime = 600_000

    /// The idempotency key that the client gave.
    package let key: String
    /// A hash of the request, which tells it from another with the same key.
    package let fingerprint: UInt64
    /// The response, opaque to the journal. If ``revision`` is given, the state is left out of it.
    package let response: [UInt8]
    /// The revision whose state the response shows; nil if the response is whole.
    ///
    /// As long as the record is valid, a journal must be able to replay the state at this revision.
    package let revision: Int?
    /// When the response was made, in session time: milliseconds since 1970-01-01T00:00:00Z as long as nobody sets the wall
    /// clock.
    package let at: Int

    /// The response to the request with that key and fingerprint.
    package init(key: String, fingerprint: UInt64, response: [UInt8], revision: Int? = nil, at: Int) {
        self.key = key
        self.fingerprint = fingerprint
        self.response = response
        self.revision = revision
        self.at = at
    }
}

/// The revisions whose states a journal must still be able to replay, because valid idempotency records show them.
///
/// It remembers the oldest revision of each half minute, so it is small however many records there are.
@usableFromInline
package struct PinnedRevisions: Sendable {
    /// How long a revision stays pinned, in milliseconds: a request that finds its record has time left to read the state.
    private static let lifetime = IdempotencyRecord.lifetime + 60_000
    private static let interval = 30_000

    private struct Pin {
        let from: Int
        var until: Int
        var revision: Int
    }

    private var pins: [Pin] = []

    package init() {}

    /// Pins the revision of a record that is stored now.
    package mutating func add(_ record: IdempotencyRecord) {
        guard let revision = record.revision else { return }
        let until = record.at + Self.lifetime
        if let last = pins.last, record.at >= last.from, record.at < last.from + Self.interval {
            pins[pins.count - 1].until = max(last.until, until)
            pins[pins.count - 1].revision = min(last.revision, revision)
        } else {
            pins.append(Pin(from: record.at, until: until, revision: revision))
        }
    }

    /// The oldest pinned revision; nil if none is pinned.
    ///
    /// - Parameter now: by the clock of the records.
    package mutating func oldest(now: Int) -> Int? {
        pins.removeAll { $0.until < now }
        return pins.lazy.map(\.revision).min()
    }
}
