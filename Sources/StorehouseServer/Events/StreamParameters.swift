import HTTP
import HTTPServer
import Security
import Sessions
import StoreHosting

/// The parameters of a stream.
struct StreamParameters {
    let format: StreamFormat
    let shows: StreamExtras
    /// The id of the client that is told of its entries; nil for one that does not ask.
    let client: String?
    let namesHeartbeats: Bool
    /// The last event that the client has.
    let seen: EventID?

    /// The values of `?changes=`.
    static let formats: [(name: String, format: StreamFormat)] = [("state", .state), ("patch", .patch)]

    init(_ context: RequestContext) throws(Problem) {
        let head = context.head
        format = try Self.format(head)
        var shows: StreamExtras = []
        if try head.flag("effects") { shows.insert(.effects) }
        if try head.flag("actions") { shows.insert(.actions) }
        if try head.flag("presence") { shows.insert(.presence) }
        if try head.flag("signals") { shows.insert(.signals) }
        if try head.flag("ready") { shows.insert(.ready) }
        client = try Self.client(head, format)
        if client != nil { shows.formUnion([.ready, .through]) }
        self.shows = shows
        namesHeartbeats = try Self.namesHeartbeats(head)
        let id = head.fields.first("last-event-id") ?? head.query.first("lastEventId")
        seen = id.flatMap(EventID.init)
    }

    /// Reads `?heartbeat=event`; `true` is a shorter word for it.
    private static func namesHeartbeats(_ head: RequestHead) throws(Problem) -> Bool {
        switch head.query.first("heartbeat") {
        case nil: return false
        case "event", "true": return true
        default: throw Problem(.query(.heartbeat))
        }
    }

    /// Reads `?sync=`.
    private static func client(_ head: RequestHead, _ format: StreamFormat) throws(Problem) -> String? {
        guard let id = head.query.first("sync") else { return nil }
        // Sessions have ids of the same form.
        guard SessionID(id.utf8) != nil else { throw Problem(.query(.client)) }
        if case .commits = format.content { throw Problem(.query(.clientOfLines)) }
        return id
    }

    private static func format(_ head: RequestHead) throws(Problem) -> StreamFormat {
        let inColor = try head.flag("color")
        let name = head.query.first("changes") ?? "state"
        guard let named = Self.formats.first(where: { $0.name == name }) else {
            throw Problem(.query(.choice("changes", Self.formats.map(\.name))))
        }
        let terminal = StreamFormat.text(inColor: inColor)
        let offers = [StreamFormat.state.mediaType, terminal.mediaType].compactMap(\.self)
        let accepted = AcceptHeader(head.fields.values("accept")).preferred(of: offers)
        if accepted != nil { return accepted == terminal.mediaType ? terminal : named.format }
        throw Problem(.header(.accept(.events)))
    }
}
