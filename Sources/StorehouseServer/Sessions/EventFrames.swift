import HTTP
import HTTPServer
import JSON
import Platform
package import StoreHosting
import Stores

/// A selected value at a revision.
struct StateEvent: Sendable {
    let historyID: String
    let revision: Int
    let json: [UInt8]
    /// The revision that changed the value last.
    let lastChangedRevision: Int

    /// The event as bytes. A long value is shared with the event, and not copied.
    ///
    /// - Parameter skipped: how many events were left out before it.
    func encoded(skipped: Int = 0) -> EventBytes {
        var head = Array("event: state\nid: \(historyID)-\(revision)\ndata: {\"revision\":\(revision),\"state\":".utf8)
        let tail = Array((skipped > 0 ? ",\"skipped\":\(skipped)}\n\n" : "}\n\n").utf8)
        // A line break inside of the data would end its line. Only JSON that a kind writes by itself has any.
        if json.hasLineBreak {
            var data = Array("{\"revision\":\(revision),\"state\":".utf8) + json
            data += tail.dropLast(2)
            return EventBytes(ServerSentEvent(event: "state", id: "\(historyID)-\(revision)", data: data).bytes)
        }
        if json.count >= EventBytes.minSharedBytes { return EventBytes(head, shared: json, tail) }
        head += json
        head += tail
        return EventBytes(head)
    }
}

extension [UInt8] {
    fileprivate var hasLineBreak: Bool {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, 0x0a, bytes.count) != nil || memchr(start, 0x0d, bytes.count) != nil
        }
    }
}

/// The changes of a selected value up to a revision.
struct PatchEvent {
    let historyID: String
    let revision: Int
    let patch: EncodedPatch

    /// The event as bytes.
    func encoded() -> [UInt8] {
        var data = JSONWriter()
        data.object { data in
            data.member("revision", revision)
            data.member("patch", patch)
        }
        return ServerSentEvent(event: "patch", id: "\(historyID)-\(revision)", data: data.finish()).bytes
    }
}

/// An event of a commit, encoded once for all of its subscribers.
package struct EventFrame: Sendable {
    package let revision: Int
    let bytes: EventBytes

    /// The length of the event.
    package var byteCount: Int { bytes.count }

    init(_ event: StateEvent) {
        revision = event.revision
        bytes = event.encoded()
    }

    init(_ event: PatchEvent) { self.init(event.revision, event.encoded()) }

    package init(_ revision: Int, _ bytes: [UInt8]) {
        self.revision = revision
        self.bytes =
            bytes.count < EventBytes.minSharedBytes ? EventBytes(bytes) : EventBytes([], shared: bytes, [])
    }
}

/// The id of an event: a history, and a revision in it.
package struct EventID {
    package let historyID: Substring
    package let revision: Int

    /// Parses an id that a client sends back; nil if no server can have sent it.
    package init?(_ text: String) {
        guard let dash = text.lastIndex(of: "-"), let revision = Int(text[text.index(after: dash)...]) else {
            return nil
        }
        historyID = text[..<dash]
        self.revision = revision
    }
}

/// An event of an effect, encoded once for all of its subscribers.
struct EffectFrame: Sendable {
    let event: EffectEvent
    let bytes: EventBytes

    init(_ event: EffectEvent) {
        self.event = event
        bytes = EventBytes(ServerSentEvent(event: "effect", data: event.json).bytes)
    }
}

extension EffectEvent {
    /// The data of the event, without unknown members.
    var json: [UInt8] {
        var json = JSONWriter(reservingCapacity: 128)
        json.object { json in
            json.member("effect", effect.name)
            json.member("phase", phase.rawValue)
            json.member("cause", cause)
            if phase == .retrying, let attempt { json.member("attempt", attempt) }
            if let code { json.member("code", code) }
            if let duration { json.member("duration", duration) }
            if let upstream { json.member("upstream", upstream) }
        }
        return json.finish()
    }
}

/// The bytes of an event, made once for all streams that get it: as a chunk, and unframed for clients of HTTP/1.0.
struct EventBytes: Sendable {
    /// A value of this length or more is not copied into its event.
    static let minSharedBytes = 16_384

    private enum Content {
        case chunk([UInt8], payload: Range<Int>)
        case shared(head: [UInt8], value: [UInt8], tail: [UInt8])
    }

    private let content: Content
    /// The length of the event without framing.
    let count: Int

    init(_ bytes: [UInt8]) {
        var chunk: [UInt8] = []
        chunk.reserveCapacity(bytes.count + 16)
        ChunkedCoding.append(bytes, to: &chunk)
        count = bytes.count
        // The payload ends before the chunk's last line break.
        content = .chunk(chunk, payload: bytes.isEmpty ? 0..<0 : chunk.count - 2 - bytes.count..<chunk.count - 2)
    }

    /// An event whose value shares the memory of `value`.
    init(_ head: [UInt8], shared value: [UInt8], _ tail: [UInt8]) {
        count = head.count + value.count + tail.count
        content = .shared(head: head, value: value, tail: tail)
    }

    /// The event without framing.
    var plain: [UInt8] {
        switch content {
        case .chunk(let chunk, let payload): Array(chunk[payload])
        case .shared(let head, let value, let tail): head + value + tail
        }
    }

    /// The same without joining its parts.
    var plainParts: [[UInt8]] {
        switch content {
        case .chunk: [plain]
        case .shared(let head, let value, let tail): [head, value, tail]
        }
    }

    func send(to connection: HTTPConnection) {
        switch content {
        case .chunk(let chunk, _):
            connection.send(framed: connection.streamIsChunked ? chunk : plain)
        case .shared(let head, let value, let tail):
            guard connection.streamIsChunked else { return connection.send(framed: [head, value, tail]) }
            connection.send(framed: [ChunkedCoding.start(of: count) + head, value, tail + ChunkedCoding.lineEnd])
        }
    }
}

/// What a stream shows of the state, and in which format.
package final class StreamSubscription: Sendable, Hashable {
    package let selection: Selection
    package let format: StreamFormat
    /// Whether its clients came by a share. They see no actions.
    package let isByPermit: Bool

    private static let wholeState = StreamSubscription(selection: .root, format: .state)
    private static let patches = StreamSubscription(selection: .root, format: .patch)

    /// A subscription with these properties. All streams of the whole state share one object for each format.
    static func of(selection: Selection, format: StreamFormat, isByPermit: Bool) -> StreamSubscription {
        switch format {
        case .state where selection == .root && !isByPermit: wholeState
        case .patch where selection == .root && !isByPermit: patches
        case .state, .patch, .text: StreamSubscription(selection: selection, format: format, isByPermit: isByPermit)
        }
    }

    package init(selection: Selection, format: StreamFormat, isByPermit: Bool = false) {
        self.selection = selection
        self.format = format
        self.isByPermit = isByPermit
    }

    package static func == (left: StreamSubscription, right: StreamSubscription) -> Bool {
        left === right
            || left.selection == right.selection && left.format == right.format && left.isByPermit == right.isByPermit
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(selection)
        hasher.combine(format)
        hasher.combine(isByPermit)
    }
}

package enum StreamFormat: Sendable, Hashable {
    /// The value after each change.
    case state
    /// Each change as a JSON Patch.
    case patch
    /// Each change as a line for a terminal.
    case text(inColor: Bool)
}

extension StreamFormat {
    /// The values of `?changes=`.
    static let named: [(name: String, format: StreamFormat)] = [("state", .state), ("patch", .patch)]
}

extension Selection {
    /// What a patch of the whole state changes in the selected value.
    func project(_ patch: EncodedPatch) -> EncodedPatch.Projection {
        switch self {
        case .root: patch.isEmpty ? .unchanged : .patch(patch)
        case .pointer(let pointer): patch.projected(to: pointer)
        // A selector may read what no patch shows: hidden members, and properties that are no members.
        case .named: .needsValue
        }
    }
}

// The bytes of each format. Times are milliseconds since 1970.
extension StreamFormat {
    var contentType: String {
        switch self {
        case .state, .patch: "text/event-stream; charset=utf-8"
        case .text: "text/plain; charset=utf-8"
        }
    }

    /// The type of a stream. It is UTF-8, so a client may ask for that.
    var mediaType: MediaType? { MediaType(contentType) }

    var responseFields: [Response.Field] { [.init("Content-Type", contentType)] + Self.commonFields }

    private static let commonFields: [Response.Field] = [
        .init("Cache-Control", "no-store, no-transform"),
        .init("X-Accel-Buffering", "no"),
        .init("X-Content-Type-Options", "nosniff"),
    ]

    /// The lines before the first event. They belong to the block of that event, because some clients report a block without
    /// data as an event.
    ///
    /// - Parameters:
    ///   - retry: how many milliseconds a disconnected client waits before it reconnects.
    ///   - heartbeat: the longest silence. A client that hears nothing for much longer has lost its server.
    func preamble(retry: Int, _ heartbeat: Duration) -> [UInt8] {
        switch self {
        case .state, .patch: ServerSentEvent(retry: retry, comment: "heartbeat \(heartbeat.wholeMilliseconds) ms").lines
        case .text: []
        }
    }

    func value(_ event: StateEvent, skipped: Int = 0, at time: Int) -> EventBytes {
        switch self {
        case .state, .patch: event.encoded(skipped: skipped)
        case .text(let inColor):
            EventBytes(TerminalLines.line(of: event, skipped: skipped, at: time, inColor: inColor))
        }
    }

    /// - Parameter isEvent: whether a page can hear it, which sees no comments. It has no id, as it changes nothing.
    func heartbeat(isEvent: Bool, at time: Int) -> [UInt8] {
        switch self {
        case .state where isEvent, .patch where isEvent:
            ServerSentEvent(event: "heartbeat", data: Array("{}".utf8)).bytes
        // One line and no empty one, for the same reason.
        case .state, .patch: Array(":\n".utf8)
        case .text(let inColor): TerminalLines.note("nothing has changed", at: time, inColor: inColor)
        }
    }

    func closed(_ reason: String, retry: Int?, at time: Int) -> [UInt8] {
        switch self {
        case .state, .patch:
            ServerSentEvent(event: "closed", data: Array("{\"reason\":\"\(reason)\"}".utf8), retry: retry).bytes
        case .text(let inColor): TerminalLines.note("closed: \(reason)", at: time, inColor: inColor)
        }
    }
}
