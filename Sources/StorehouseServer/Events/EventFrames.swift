import HTTP
import JSON
package import StoreHosting
import Stores

/// A selected value at a revision.
struct StateEvent: Sendable {
    let historyID: String
    let revision: Int
    let json: [UInt8]
    /// The revision that changed the value last.
    let lastChangedRevision: Int

    /// The event as bytes.
    ///
    /// - Parameter skipped: how many events were left out before it.
    func encoded(skipped: Int = 0) -> [UInt8] {
        var data = JSONWriter(reservingCapacity: json.count + 48)
        data.object { data in
            data.member("revision", revision)
            data.member("state", raw: json)
            if skipped > 0 { data.member("skipped", skipped) }
        }
        return ServerSentEvent(event: "state", id: "\(historyID)-\(revision)", data: data.finish()).bytes
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
struct EventFrame: Sendable {
    let revision: Int
    let bytes: FramedBytes

    init(_ event: StateEvent) { self.init(event.revision, event.encoded()) }

    init(_ event: PatchEvent) { self.init(event.revision, event.encoded()) }

    init(_ revision: Int, _ bytes: [UInt8]) {
        self.revision = revision
        self.bytes = FramedBytes(bytes)
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
    let bytes: FramedBytes

    init(_ event: EffectEvent) {
        self.event = event
        bytes = FramedBytes(ServerSentEvent(event: "effect", data: event.json).bytes)
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

/// Bytes of a stream in both framings.
struct FramedBytes: Sendable {
    /// Unframed, for clients of HTTP/1.0.
    private let plain: [UInt8]
    private let chunk: [UInt8]

    init(_ bytes: [UInt8]) {
        plain = bytes
        var chunk: [UInt8] = []
        chunk.reserveCapacity(bytes.count + 16)
        ChunkedCoding.append(bytes, to: &chunk)
        self.chunk = chunk
    }

    func framed(asChunk isChunk: Bool) -> [UInt8] { isChunk ? chunk : plain }
}

/// What a stream shows of the state, and in which format.
package struct StreamSubscription: Sendable, Hashable {
    package let selection: Selection
    package let format: StreamFormat

    package init(selection: Selection, format: StreamFormat) {
        self.selection = selection
        self.format = format
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
        case .named: patch.isEmpty ? .unchanged : .needsValue
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

    /// The bytes before the first event.
    ///
    /// - Parameter retry: how many milliseconds a disconnected client waits before it reconnects.
    func preamble(retry: Int) -> [UInt8] {
        switch self {
        case .state, .patch: ServerSentEvent(retry: retry, comment: "storehouse").bytes
        case .text: []
        }
    }

    func value(_ event: StateEvent, skipped: Int = 0, at time: Int) -> [UInt8] {
        switch self {
        case .state, .patch: event.encoded(skipped: skipped)
        case .text(let inColor): TerminalLines.line(of: event, skipped: skipped, at: time, inColor: inColor)
        }
    }

    func heartbeat(at time: Int) -> [UInt8] {
        switch self {
        case .state, .patch: ServerSentEvent(comment: "").bytes
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
