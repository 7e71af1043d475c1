import HTTP
import JSON
import StoreHosting
import Stores

/// A selected value at a revision, to be shown on streams.
struct StateEvent: Sendable {
    let history: String
    let revision: Int
    let json: [UInt8]
    /// The commit that gave the value.
    let changedAt: Int

    /// The event in bytes; where values were left out before it, it says how many.
    func encoded(skipped: Int = 0) -> [UInt8] {
        var data = JSONWriter(reservingCapacity: json.count + 48)
        data.object { data in
            data.member("revision", revision)
            data.member("state", raw: json)
            if skipped > 0 { data.member("skipped", skipped) }
        }
        return ServerSentEvent(event: "state", id: "\(history)-\(revision)", data: data.finish()).bytes
    }
}

/// What changed in a selected value, to be shown on streams.
struct PatchEvent {
    let history: String
    let revision: Int
    let patch: EncodedPatch

    /// The event in bytes.
    func encoded() -> [UInt8] {
        var data = JSONWriter()
        data.object { data in
            data.member("revision", revision)
            data.member("patch", patch)
        }
        return ServerSentEvent(event: "patch", id: "\(history)-\(revision)", data: data.finish()).bytes
    }
}

/// An event as its streams send it, made once for all of them.
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

/// What a client says it has seen: a history and a revision in it.
package struct EventID {
    package let history: Substring
    package let revision: Int

    /// Reads an id that a client sends back; nil where it is none of ours.
    package init?(_ text: String) {
        guard let dash = text.lastIndex(of: "-"), let revision = Int(text[text.index(after: dash)...]) else {
            return nil
        }
        history = text[..<dash]
        self.revision = revision
    }
}

/// What has happened to an effect as its streams send it, made once for all of them.
struct EffectFrame: Sendable {
    let event: EffectEvent
    let bytes: FramedBytes

    init(_ event: EffectEvent) {
        self.event = event
        bytes = FramedBytes(ServerSentEvent(event: "effect", data: event.json).bytes)
    }
}

extension EffectEvent {
    /// The event's data, with what is known.
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

/// Bytes of a stream in each of the framings that a connection may need.
struct FramedBytes: Sendable {
    /// As they are, for a client of HTTP/1.0.
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
