/// The place of a session in the list of all sessions by their last use, the most recent first.
package struct UsePlace: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The last use, in session time.
    package let moment: Int
    /// Sessions that were used at the same time stand in the order of their ids.
    package let id: SessionID

    package init(moment: Int, id: SessionID) {
        self.moment = moment
        self.id = id
    }

    package static func < (left: UsePlace, right: UsePlace) -> Bool {
        left.moment == right.moment ? left.id < right.id : left.moment > right.moment
    }

    /// The place behind all sessions that were used after a moment, and before all others.
    static func behind(all moment: Int) -> UsePlace? {
        SessionID(repeatElement(UInt8(ascii: "z"), count: SessionID.length.upperBound)).map {
            UsePlace(moment: moment + 1, id: $0)
        }
    }

    package var description: String { "\(moment) \(id)" }

    package init?(_ text: some Collection<UInt8>) {
        self.init(text, separator: UInt8(ascii: " ")) { SessionID($0) }
    }

    /// The place as another text, like ``SessionID/cursor``.
    package var cursor: String { "\(moment).\(id.cursor)" }

    package init?(cursor: String) {
        self.init(cursor.utf8, separator: UInt8(ascii: ".")) {
            SessionID(cursor: String(decoding: $0, as: UTF8.self))
        }
    }

    private init?<Text: Collection<UInt8>>(_ text: Text, separator: UInt8, _ id: (Text.SubSequence) -> SessionID?) {
        guard let middle = text.firstIndex(of: separator),
            let moment = Int(String(decoding: text[..<middle], as: UTF8.self)),
            let id = id(text[text.index(after: middle)...])
        else { return nil }
        self.init(moment: moment, id: id)
    }
}

/// The first places of any number of them: it never has more than twice as many as are wanted.
package struct FirstPlaces {
    private let start: UsePlace?
    private let limit: Int
    private var places: [UsePlace] = []
    /// No place behind this one is among the first; nil as long as that is not known.
    private var last: UsePlace?

    /// - Parameters:
    ///   - start: places up to this one are not wanted.
    ///   - limit: how many are wanted.
    package init(after start: UsePlace?, limit: Int) {
        self.start = start
        self.limit = limit
    }

    /// - Parameter isWanted: is asked only of a place that would be among the first.
    package mutating func add(_ place: UsePlace, if isWanted: () -> Bool = { true }) {
        if let start, place <= start { return }
        if let last, place >= last { return }
        guard isWanted() else { return }
        places.append(place)
        if places.count >= 2 * limit { cut() }
    }

    /// Sorts them, and drops those that are too many. A session that was used meanwhile may be there twice: its latest use counts.
    private mutating func cut() {
        var known: Set<SessionID> = []
        places = Array(places.sorted().filter { known.insert($0.id).inserted }.prefix(limit))
        if places.count == limit { last = places.last }
    }

    /// Whether no session whose last use is at a moment, or before it, can be among the first.
    mutating func areBefore(all moment: Int) -> Bool {
        cut()
        return last.map { $0.moment > moment } ?? false
    }

    /// The first places, in their order.
    package mutating func sorted() -> [UsePlace] {
        cut()
        return places
    }
}
