/// Which news of presence one stream has, and which of the next ones it takes.
package struct PresenceReader: Sendable {
    /// The number of the last news that it need not take; its complement as long as the stream needs the whole list.
    private var number: Int32 = -1

    package init() {}

    /// Whether it has the list, and each change since.
    package var isUpToDate: Bool { number >= 0 }

    private var lastNumber: Int32 { number >= 0 ? number : ~number }

    /// It takes the whole list of later news.
    package mutating func begin(after newsNumber: Int32) { number = ~newsNumber }

    /// The event of some news that the stream needs: the whole list, the change, or nil if it needs none.
    package mutating func take<Event>(_ newsNumber: Int32, whole: Event?, change: Event?) -> Event? {
        // News that were made before the stream opened may come after that.
        guard newsNumber > lastNumber, let event = isUpToDate ? change : whole else { return nil }
        number = newsNumber
        return event
    }

    /// The event that it took last was not sent, so the next one must be the whole list.
    package mutating func miss() { number = ~lastNumber }
}
