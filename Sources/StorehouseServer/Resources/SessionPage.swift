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
struct SessionPage<Place: ListPlace>: Sendable {
    /// A page ends early behind so many sessions, however few of them the filter shows, so that no request takes long.
    let maxLooks: Int

    let filter: SessionFilter
    let limit: Int
    /// The last session that was looked at.
    private(set) var last: Place?
    private var documents: [Document] = []
    private var looks = 0
    private var hasEnded = false

    /// - Parameters:
    ///   - after: the session behind which the page begins; nil for the first page.
    ///   - limit: how many sessions the page shows at most.
    ///   - maxLooks: how many sessions are looked at.
    init(after: Place?, limit: Int, _ filter: SessionFilter, maxLooks: Int) {
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
    mutating func append(_ document: SessionDocument?, _ place: Place) {
        if let document {
            documents.append(Document(document))
        }
        looks += 1
        last = place
    }

    /// The processes that know more of its sessions, by the ids of these.
    var sources: [String: String] {
        var sources: [String: String] = [:]
        for document in documents { sources[document.id] = document.source }
        return sources
    }

    /// Replaces the documents of some sessions by those of the nodes that have them, which know later uses.
    mutating func show(_ contents: [String: JSONValue]) {
        for index in documents.indices {
            if let content = contents[documents[index].id] { documents[index].show(content) }
        }
        if Place.self == UsePlace.self { documents.sort { ($1.lastActiveAt, $0.id) < ($0.lastActiveAt, $1.id) } }
    }

    /// The next page begins behind this place; nil if no session follows.
    mutating func end(behind place: Place? = nil) {
        last = place
        hasEnded = place == nil
    }

    /// - Parameter cursor: makes the start of the next page from the last session of this one.
    func response(_ cursor: (Place) -> String) -> Response {
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

extension SessionPage {
    /// A document of the page.
    private struct Document: Sendable {
        let id: String
        /// The process that knows more of the session; nil if none does.
        let source: String?
        private(set) var content: [UInt8]
        /// As the document has it: these texts have the order of the times.
        private(set) var lastActiveAt: String

        init(_ document: SessionDocument) {
            id = document.id
            source = document.source
            content = document.encoded()
            lastActiveAt = document.lastUse
        }

        mutating func show(_ document: JSONValue) {
            content = document.encoded()
            lastActiveAt = document["lastActiveAt"]?.asString ?? lastActiveAt
        }
    }
}
