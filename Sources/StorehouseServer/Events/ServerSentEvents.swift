import HTTP
import JSON
import Observability
import Platform
import Sessions
import StoreHosting
import Stores

/// Events as an EventSource takes them (WHATWG HTML, section 9.2).
final class ServerSentEvents: PatchCodec {
    static let shared = ServerSentEvents()

    let contentType = "text/event-stream; charset=utf-8"

    /// Lines that belong to the block of the first event, because some clients report a block without data as an event.
    func preamble(retry: Int, heartbeat: Duration) -> [UInt8] {
        ServerSentEvent(retry: retry, comment: "heartbeat \(heartbeat.wholeMilliseconds) ms").lines
    }

    /// A long value is shared with the event, and not copied.
    func encode(_ event: StateEvent, skipped: Int, at time: @autoclosure () -> Int) -> EncodedEvent {
        let (json, revision) = (event.json, event.revision)
        var tail = Array((skipped > 0 ? ",\"skipped\":\(skipped)}\n\n" : "}\n\n").utf8)
        if event.through != .none { tail = event.through.member + tail }
        // A line break inside of the data would end its line. Only JSON that a kind writes by itself has any.
        if json.hasLineBreak {
            var data = Array("{\"revision\":\(revision),\"state\":".utf8) + json
            data += tail.dropLast(2)
            let id = "\(event.historyID)-\(revision)"
            return EncodedEvent(ServerSentEvent(event: "state", id: id, data: data).bytes)
        }
        let start = "event: state\nid: \(event.historyID)-\(revision)\ndata: {\"revision\":\(revision),\"state\":"
        var head = Array(start.utf8)
        if json.count >= EncodedEvent.minSharedBytes { return EncodedEvent(head, shared: json, tail) }
        head.reserveCapacity(head.count + json.count + tail.count)
        head += json
        head += tail
        return EncodedEvent(head)
    }

    func encode(_ event: EffectEvent, at time: @autoclosure () -> Int) -> EncodedEvent {
        EncodedEvent(ServerSentEvent(event: "effect", data: event.json).bytes)
    }

    func encode(_ list: PresenceList, at time: Int) -> EncodedEvent { Self.presence { $0.value(list) } }

    func encode(_ change: PresenceChange, at time: Int) -> EncodedEvent { Self.presence { $0.value(change) } }

    private static func presence(_ write: (inout JSONWriter) -> Void) -> EncodedEvent {
        var json = JSONWriter(reservingCapacity: 512)
        write(&json)
        return EncodedEvent(sharing: ServerSentEvent(event: "presence", data: json.finish()).bytes)
    }

    func encode(_ signal: SignalEvent) -> EncodedEvent {
        var json = JSONWriter(reservingCapacity: 256 + signal.payload.count)
        json.object { json in
            json.member("type", signal.type)
            json.member("payload", raw: signal.payload)
            json.member("actor", raw: signal.actor.json)
            json.member("at", Timestamp.rfc3339(signal.at))
        }
        return EncodedEvent(ServerSentEvent(event: "signal", data: json.finish()).bytes)
    }

    func encode(_ event: ReadyEvent) -> EncodedEvent {
        EncodedEvent(ServerSentEvent(event: "ready", data: event.json).bytes)
    }

    func append(_ action: CommitRecord, id: String?, to events: inout [UInt8]) {
        events += ServerSentEvent(event: "action", id: id, data: LoggedAction(action).encoded()).bytes
    }

    func encode(events: [UInt8]) -> EncodedEvent { EncodedEvent(events) }

    func encode(events: [UInt8], before event: EncodedEvent) -> EncodedEvent { EncodedEvent(events, before: event) }

    func heartbeat(isEvent: Bool, at time: Int) -> [UInt8] {
        // The comment is one line and no empty one, for the same reason as the preamble.
        isEvent ? ServerSentEvent(event: "heartbeat", data: Array("{}".utf8)).bytes : Array(":\n".utf8)
    }

    func closed(_ reason: String, retry: Int?, at time: Int) -> [UInt8] {
        ServerSentEvent(event: "closed", data: Array("{\"reason\":\"\(reason)\"}".utf8), retry: retry).bytes
    }
}

// Patches.
extension ServerSentEvents {
    func encode(_ event: PatchEvent) -> EncodedEvent { EncodedEvent(sharing: event.bytes) }

    func append(_ event: PatchEvent, to missed: inout [UInt8]) { missed += event.bytes }
}

extension PatchEvent {
    /// The event as bytes.
    fileprivate var bytes: [UInt8] {
        var data = JSONWriter()
        data.object { data in
            data.member("revision", revision)
            data.member("patch", patch)
            data.member(through)
        }
        return ServerSentEvent(event: "patch", id: "\(historyID)-\(revision)", data: data.finish()).bytes
    }
}

extension Through {
    /// The member behind others of an object.
    fileprivate var member: [UInt8] {
        var json = JSONWriter(reservingCapacity: 64)
        json.object { $0.member(self) }
        return [UInt8(ascii: ",")] + json.finish().dropFirst().dropLast()
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ through: Through) {
        switch through {
        case .none: break
        case .names(let entries):
            member("through", object: { json in for entry in entries { json.member(name: entry.mark, entry.number) } })
        case .tooMany: member("through", JSONValue.null)
        }
    }
}

extension ReadyEvent {
    /// The data of the event.
    fileprivate var json: [UInt8] {
        var json = JSONWriter(reservingCapacity: 256)
        json.object { json in
            json.member("revision", revision)
            json.member("history", historyID)
            if let client {
                json.member("mark", client.mark)
                json.member(Through.names([client]))
            }
            let milliseconds = heartbeat.wholeMilliseconds
            if milliseconds.isMultiple(of: 1000) {
                json.member("heartbeat", milliseconds / 1000)
            } else {
                json.member("heartbeat", heartbeat.inSeconds)
            }
            json.member("maxBody", maxBodyBytes)
            json.member("time", Timestamp.rfc3339(time))
            json.member("store", store)
            json.member("version", version)
        }
        return json.finish()
    }
}

extension EffectEvent {
    /// The data of the event, without unknown members.
    fileprivate var json: [UInt8] {
        var json = JSONWriter(reservingCapacity: 128)
        json.object { json in
            json.member("effect", effect.description)
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

extension [UInt8] {
    fileprivate var hasLineBreak: Bool {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, 0x0a, bytes.count) != nil || memchr(start, 0x0d, bytes.count) != nil
        }
    }
}
