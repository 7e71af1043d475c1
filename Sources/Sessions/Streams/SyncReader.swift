/// The knowledge of a stream's client about the entries that its value contains. On the loop of the stream only.
package final class SyncReader {
    package let client: ClientKey
    /// The last decision that its events have told.
    package private(set) var decision = 0
    /// The last decision about an entry of its own that it was told of.
    private var ownDecision = 0

    package init(_ client: ClientKey) { self.client = client }

    /// The stream sends a value that contains all entries up to a decision.
    ///
    /// - Parameter namesOwn: whether it names those of the client, if there are any.
    package func sent(through decision: Int, namesOwn: Bool = true) {
        self.decision = max(self.decision, decision)
        if namesOwn { ownDecision = max(ownDecision, decision) }
    }

    /// Whether the client does not know what the news say.
    package func needs(_ news: ReadyNews) -> Bool { news.decision > ownDecision }

    package func sent(_ news: ReadyNews) { ownDecision = max(ownDecision, news.decision) }
}

/// Says that a client has the value of a revision, and which of its entries that contains.
package struct ReadyNews: Sendable {
    package let revision: Int
    /// The mark of the client, and its last entry; nil if it has no record, or does not ask.
    package let client: ToldEntry?
    /// The decision about that entry.
    package let decision: Int

    init(_ revision: Int, _ told: (entry: ToldEntry, decision: Int)? = nil) {
        (self.revision, client, decision) = (revision, told?.entry, told?.decision ?? 0)
    }
}
