import HTTP
import JSON
import Observability
import Sessions

/// Which sessions a list shows.
struct SessionFilter: Sendable {
    /// The name of their store kind; nil for any.
    var store: Subject?
    /// Their owner; nil for any.
    var owner: Subject?
    /// The mark by which lines of the log name the session; nil for any.
    var mark: String?

    /// Whether the list shows each session.
    var isEmpty: Bool { store == nil && owner == nil && mark == nil }

    /// - Parameter owner: nil for a session without an owner.
    func matches(_ id: String, store: String, owner: Subject?) -> Bool {
        (self.store == nil || self.store == Subject(store)) && (self.owner == nil || self.owner == owner)
            && (mark == nil || mark == Fingerprint.of(id))
    }
}

/// One page of the list of sessions on its way from the journal.
struct SessionPage: Sendable {
    /// A page ends early behind so many sessions, however few of them the filter shows, so that no request takes long.
    private let maxLooks: Int

    let filter: SessionFilter
    let limit: Int
    /// The last session that was looked at.
    private(set) var last: SessionID?
    private var documents: [(id: String, source: String?, content: [UInt8])] = []
    private var looks = 0
    private var hasEnded = false

    /// - Parameters:
    ///   - after: the session behind which the page begins; nil for the first page.
    ///   - limit: how many sessions the page shows at most.
    ///   - maxLooks: how many sessions are looked at.
    init(after: SessionID?, limit: Int, _ filter: SessionFilter, maxLooks: Int) {
        self.maxLooks = maxLooks
        last = after
        self.limit = limit
        self.filter = filter
    }

    var isFull: Bool { hasEnded || documents.count == limit || looks >= maxLooks }

    /// How many sessions to read next.
    var nextCount: Int { filter.isEmpty ? limit - documents.count + 1 : 1000 }

    /// Takes the next session.
    ///
    /// - Parameter document: nil if the filter does not show it.
    mutating func append(_ document: SessionDocument?, _ id: SessionID) {
        if let document { documents.append((document.id, document.source, document.encoded())) }
        looks += 1
        last = id
    }

    /// The processes that know more of its sessions, by the ids of these.
    var sources: [String: String] {
        var sources: [String: String] = [:]
        for document in documents { sources[document.id] = document.source }
        return sources
    }

    /// Replaces the documents of some sessions.
    mutating func show(_ contents: [String: [UInt8]]) {
        for index in documents.indices {
            if let content = contents[documents[index].id] { documents[index].content = content }
        }
    }

    /// No session follows.
    mutating func end() { hasEnded = true }

    /// - Parameter cursor: makes the start of the next page from the last session of this one.
    func response(_ cursor: (SessionID) -> String) -> Response {
        var json = JSONWriter(reservingCapacity: 128 + documents.reduce(0) { $0 + $1.content.count + 1 })
        json.object { json in
            json.name("sessions")
            json.array { json in
                for document in documents { json.raw(document.content) }
            }
            json.member("next", hasEnded ? nil : last.map(cursor))
        }
        return .document(json.finishLine(), fields: [.init("Cache-Control", "no-store")])
    }
}
