package import JSON
package import StoreHosting

/// Lists sessions by their last use, the most recent first.
///
/// A session in memory knows its last use; the index of the journal has the others. Neither is copied or sorted whole: of all sessions in
/// memory only the first ones are kept, and the index is read from the place of the page on.
package struct RecentSessions: Sendable {
    /// Whether a list shows a session.
    package typealias Filter = @Sendable (_ id: String, _ kind: String, _ owner: Subject?) -> Bool

    /// Some sessions in the order of the list.
    package struct Portion: Sendable {
        package let sessions: [(place: UsePlace, document: SessionDocument)]
        /// Where the next portion begins; nil if nothing follows.
        package let next: UsePlace?
    }

    private let registry: SessionRegistry
    /// Nil if all sessions are in memory.
    private let journal: (any Journal)?
    private let readAtOnce: Int

    /// - Parameter readAtOnce: how many sessions of the index are read at once.
    package init(_ registry: SessionRegistry, _ journal: (any Journal)?, readAtOnce: Int = 1000) {
        self.registry = registry
        self.journal = journal
        self.readAtOnce = readAtOnce
    }

    /// The next sessions behind a place. It may take long, and must not be called on an event loop.
    ///
    /// - Parameters:
    ///   - maxLooks: a portion ends early behind so many sessions of the index, however few of them the filter shows. Sessions that the
    ///     index may have too early are not counted: the next portion would have to look at them again.
    ///   - isListed: the filter.
    package func next(
        after start: UsePlace?, limit: Int, maxLooks: Int, where isListed: @escaping Filter
    ) async throws(JournalError) -> Portion {
        // One more than the portion has, to know whether another one follows.
        var first = FirstPlaces(after: start, limit: limit + 1)
        // First, because a session that leaves the memory meanwhile is in the index.
        registry.forEachResident { session in
            first.add(UsePlace(moment: session.lastActiveAt, id: session.id)) {
                isListed(session.id.description, session.kind.name, session.owner)
            }
        }
        let end = try await search(after: start, maxLooks: maxLooks, &first, where: isListed)
        var places = first.sorted()
        if let end { places.removeAll { $0 > end } }
        let isFull = places.count > limit
        let shown = places.prefix(limit)
        return Portion(sessions: try await documents(of: Array(shown)), next: isFull ? shown.last : end)
    }

    /// Adds sessions of the index, until those that follow cannot be among the first.
    ///
    /// - Returns: up to where all sessions were looked at, if the search ended early.
    private func search(
        after start: UsePlace?, maxLooks: Int, _ first: inout FirstPlaces, where isListed: Filter
    ) async throws(JournalError) -> UsePlace? {
        guard let journal else { return nil }
        let begin = start?.moment ?? registry.clock.now()
        var (place, looks) = (SessionUses.Place(moment: start?.moment ?? .max), 0)
        while true {
            let found = try await journal.uses(after: place, limit: readAtOnce)
            for use in found.uses {
                guard let id = SessionID(use.id.utf8) else { continue }
                // It may have been loaded since.
                let moment = registry.resident(id)?.lastActiveAt ?? use.lastActiveAt
                first.add(UsePlace(moment: moment, id: id)) { isListed(use.id, use.kind, use.owner) }
            }
            guard let next = found.next else { return nil }
            // The latest use of any session that follows.
            let bound = next.moment + SessionUse.lag
            if first.areBefore(all: bound) { return nil }
            // The next portion must begin behind this one.
            if bound + 1 < begin { looks += found.uses.count }
            if looks >= maxLooks { return UsePlace.behind(all: bound) }
            place = next
        }
    }

    private func documents(
        of places: [UsePlace]
    ) async throws(JournalError) -> [(place: UsePlace, document: SessionDocument)] {
        var sizes = StateSizes()
        guard let journal else {
            return places.compactMap { place in
                registry.resident(place.id).map { (place, registry.document(of: $0, &sizes)) }
            }
        }
        var summaries: [String: SessionSummary] = [:]
        for summary in try await journal.summaries(of: places.map(\.id.description)) {
            summaries[summary.header.id] = summary
        }
        return places.compactMap { place in
            summaries[place.id.description].map { (place, registry.document(of: $0, &sizes)) }
        }
    }
}
