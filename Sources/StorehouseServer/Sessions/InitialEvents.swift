/// What a stream sends first. Later events belong to later revisions.
enum InitialEvents: Sendable {
    /// The selected value.
    case state(StateEvent)
    /// The encoded events that the client has missed.
    case events(upTo: Int, [UInt8])

    /// The revision that they show.
    var revision: Int {
        switch self {
        case .state(let event): event.revision
        case .events(let revision, _): revision
        }
    }

    /// The length of the values in it.
    var byteCount: Int {
        switch self {
        case .state(let event): event.json.count
        case .events(_, let bytes): bytes.count
        }
    }
}
