import Locks
package import StoreHosting
package import Stores
import Threads

/// The permits of a session, and how often all of them were revoked.
///
/// Whoever changes them has the journal record the change. Two changes that are made at the same time may come to it in any order: it
/// gets the ids of all that go, and a permit is valid only at the generation at which it was made.
package struct SessionPermits: ~Copyable, Sendable {
    /// Whether another permit may be made.
    package enum Room: Sendable, Equatable {
        /// Yes, and these have expired.
        case free(dropping: [String])
        /// No, until the first of them expires, in milliseconds since 1970.
        case none(until: Int)
    }

    // Nil for most sessions, which have no permits and never had any.
    private let table = LazyReference<PermitTable>()

    package init() {}

    /// The permits that the journal has of a session.
    package init(of summary: SessionSummary) {
        guard summary.shareGeneration != 0 || !summary.permits.isEmpty else { return }
        let terms = summary.permits.compactMap { PermitTerms($0) }
        var contents = PermitTable.Contents(
            generation: summary.shareGeneration, terms: Dictionary(terms.map { ($0.id, $0) }) { first, _ in first })
        contents.findMakers()
        _ = table.storeIfNil(PermitTable(contents))
    }

    private func change<Result: Sendable>(_ body: (inout PermitTable.Contents) -> Result) -> Result {
        table.load(orStore: PermitTable(PermitTable.Contents())).contents.withLock { contents in body(&contents) }
    }

    /// How often all were revoked.
    package var generation: Int { table.load()?.contents.withLock(\.generation) ?? 0 }

    /// The permit with an id, unless it was revoked or its maker may not share. It may have expired.
    package subscript(_ id: String) -> PermitTerms? {
        table.load()?.contents.withLock { contents in
            contents.terms[id].flatMap { contents.isInForce($0) ? $0 : nil }
        }
    }

    /// The permits that were not revoked and whose makers may share, the oldest first. Some may have expired.
    package var all: [PermitTerms] {
        let found = table.load()?.contents.withLock { contents in
            contents.terms.values.filter { contents.isInForce($0) }
        }
        return (found ?? []).sorted { ($0.madeAt, $0.id) < ($1.madeAt, $1.id) }
    }

    /// Forgets those that have expired, and makes room for another one, which ``add(_:)`` takes.
    ///
    /// - Parameters:
    ///   - limit: how many there may be.
    ///   - now: in milliseconds since 1970.
    package func makeRoom(limit: Int, now: Int) -> Room {
        change { contents in
            let (generation, all) = (contents.generation, contents.terms.values)
            let valid = all.filter { $0.expiresAt > now && $0.generation == generation }
            guard valid.count + contents.pending < limit else {
                return .none(until: valid.map(\.expiresAt).min() ?? now)
            }
            let dropped = all.count == valid.count ? [] : Set(all.map(\.id)).subtracting(valid.map(\.id)).sorted()
            for id in dropped { contents.terms[id] = nil }
            if !dropped.isEmpty { contents.findMakers() }
            contents.pending += 1
            return .free(dropping: dropped)
        }
    }

    /// Adds a permit for which there is room.
    package func add(_ terms: PermitTerms) {
        change { contents in
            contents.pending -= 1
            contents.terms[terms.id] = terms
            contents.count(terms, mayShare: true)
        }
    }

    /// Revokes one permit at once.
    ///
    /// - Returns: whether there was one with this id.
    package func revoke(_ id: String) -> Bool {
        change { contents in
            defer { contents.findMakers() }
            return contents.terms.removeValue(forKey: id).map { $0.generation == contents.generation } ?? false
        }
    }

    /// Revokes all permits at once.
    ///
    /// - Returns: the new generation, and the ids of those that were there.
    package func revokeAll() -> (generation: Int, ids: [String]) {
        change { contents in
            contents.generation += 1
            defer { (contents.terms, contents.makers) = ([:], [:]) }
            return (contents.generation, Array(contents.terms.keys))
        }
    }
}

/// The permits of a session that has, or had, any. It is not private, because the compiler fails for such a type in ``SessionPermits``.
final class PermitTable: Sendable {
    struct Maker {
        /// Whether the state lets it share: not until the state was asked.
        var mayShare: Bool
        /// When the last of its permits expires, in milliseconds since 1970.
        var until: Int
    }

    struct Contents {
        var generation = 0
        var terms: [String: PermitTerms] = [:]
        /// The visitors who have made permits of this generation.
        var makers: [Actor: Maker] = [:]
        /// How many were counted and are not there yet.
        var pending = 0
        /// How many actions have come into the store by a permit and are not done.
        var uses = 0

        func isInForce(_ terms: PermitTerms) -> Bool {
            terms.generation == generation && terms.maker.map { makers[$0]?.mayShare ?? false } ?? true
        }

        /// Counts a permit that is among the terms for its maker.
        ///
        /// - Parameter mayShare: whether the state lets the maker share.
        mutating func count(_ terms: PermitTerms, mayShare: Bool) {
            guard let maker = terms.maker, terms.generation == generation else { return }
            makers[maker] = Maker(mayShare: mayShare, until: max(terms.expiresAt, makers[maker]?.until ?? 0))
        }

        /// Finds the makers of the terms, after some of these have come from elsewhere or have gone.
        mutating func findMakers() {
            let before = makers
            makers = [:]
            for terms in terms.values {
                count(terms, mayShare: terms.maker.flatMap { before[$0]?.mayShare } ?? false)
            }
        }
    }

    // Guards the permits. Taken inside the store's lock; no other lock is taken while it is held.
    let contents: Locked<Contents>

    init(_ contents: Contents) { self.contents = Locked(contents) }
}

// Permits of a session that ends.
extension SessionPermits {
    /// The permits that are in force; nil if the session never had one.
    package var atEnd: FinalPermits? {
        table.load()?.contents.withLock { contents in
            FinalPermits(
                generation: contents.generation,
                ids: contents.terms.values.filter { contents.isInForce($0) }.map(\.id))
        }
    }

    /// Revokes those that are not in force although nobody has revoked them: their makers may not share.
    ///
    /// - Returns: their ids.
    package func revokeLapsed() -> [String] {
        table.load()?.contents.withLock { contents in
            let ids = contents.terms.values.filter { !contents.isInForce($0) }.map(\.id)
            for id in ids { contents.terms[id] = nil }
            return ids
        } ?? []
    }
}

// Permits of visitors live as long as the state lets their makers share.
extension SessionPermits {
    /// Whether some were made by visitors.
    package var hasMakers: Bool { table.load()?.contents.withLock { !$0.makers.isEmpty } ?? false }

    /// Finds out which visitors who have made permits may still share. Called inside the store, in the order of commits.
    ///
    /// Nobody is asked for whose permits have all expired: there may be no other change that forgets them.
    ///
    /// - Parameter now: in milliseconds since 1970.
    /// - Returns: whether one of them may not share any more.
    package func askForMakers(now: @autoclosure () -> Int, _ isInForce: (Actor) -> Bool) -> Bool {
        guard let table = table.load() else { return false }
        let makers = table.contents.withLock(\.makers)
        guard !makers.isEmpty else { return false }
        let now = now()
        var hasLoser = false
        // Not while the permits are locked: the question runs code of the kind.
        for (actor, maker) in makers where maker.until > now {
            let mayShare = isInForce(actor)
            guard mayShare != maker.mayShare else { continue }
            hasLoser = hasLoser || maker.mayShare
            table.contents.withLock { contents in contents.makers[actor]?.mayShare = mayShare }
        }
        return hasLoser
    }
}

// Actions by permits. One that was revoked may have passed the last look at its validity before, and be committed a moment later.
extension SessionPermits {
    /// An action has come into the store, and looks whether its permit is valid next.
    package func beginUse() { change { $0.uses += 1 } }

    package func endUse() { change { $0.uses -= 1 } }

    /// Whether an action by a permit may be about to be committed.
    package var areInUse: Bool { table.load()?.contents.withLock { $0.uses > 0 } ?? false }
}
