/// A fault of a client that the kit must notice. It is planted around the library, which has no code for it.
enum Fault: String, CaseIterable {
    // ---- Requests
    case neverResumes = "never-resumes"
    case twoAtOnce = "two-at-once"
    case newClientOnRetry = "new-client-on-retry"
    case renumbers = "renumbers"
    case givesUp = "gives-up"
    case lastFirst = "last-first"
    case halfEntry = "half-entry"
    case forgetsIfMatch = "forgets-if-match"
    case keepsToken = "keeps-token"
    // ---- Responses and streams
    case ignoresRetryAfter = "ignores-retry-after"
    case believesCommitted = "believes-committed"
    case ignoresThrough = "ignores-through"
    case missesPatches = "misses-patches"
    case decodesEachPiece = "decodes-each-piece"
    case onlyLineFeeds = "only-line-feeds"
    case neverEnds = "never-ends"
    case deafToSilence = "deaf-to-silence"
    case liveTooEarly = "live-too-early"
    // ---- Time and chance
    case hammers = "hammers"
    case leaksTimers = "leaks-timers"
    // ---- Disk
    case storesNothing = "stores-nothing"
    case sendsUnstored = "sends-unstored"
    case noCache = "no-cache"
    case sharesOutbox = "shares-outbox"
    case keepsOutbox = "keeps-outbox"
    // ---- Rules and views
    case anyVersion = "any-version"
    case showsLate = "shows-late"
    case tellsTwice = "tells-twice"

    /// The scenario that must notice it.
    var scenario: String {
        switch self {
        case .neverResumes: "event-without-id"
        case .twoAtOnce: "one-request-at-a-time"
        case .newClientOnRetry, .renumbers, .givesUp: "answer-lost-once"
        case .lastFirst: "order-of-200"
        case .halfEntry: "batch-atomic"
        case .forgetsIfMatch: "if-match-miss"
        case .keepsToken: "unauthorized-renew-once"
        case .ignoresRetryAfter: "retry-after-is-lower-bound"
        case .believesCommitted: "rejected-prediction-is-taken-back"
        case .ignoresThrough: "event-before-answer"
        case .missesPatches: "patches-in-order"
        case .decodesEachPiece: "utf8-split"
        case .onlyLineFeeds: "crlf-and-cr"
        case .neverEnds: "ended-while-live"
        case .liveTooEarly: "live-needs-ready"
        case .deafToSilence: "heartbeat-lost"
        case .hammers: "backoff-grows-with-jitter"
        case .leaksTimers: "answer-lost-ten-times"
        case .storesNothing: "survives-kill"
        case .sendsUnstored: "disk-full"
        case .noCache: "first-paint-from-cache"
        case .sharesOutbox: "other-user"
        case .keepsOutbox: "sign-out"
        case .anyVersion: "other-version"
        case .showsLate, .tellsTwice: "shown-at-once"
        }
    }

    /// The fault that the argument of the program names.
    static let planted = CommandLine.arguments.dropFirst().first.flatMap(Fault.init(rawValue:))

    var isPlanted: Bool { Self.planted == self }
}
