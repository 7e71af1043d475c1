import HTTP
import JSON
import StoreHosting
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
