import JSON
import Sessions
import StoreHosting
import Stores

/// Events as text frames. A frame of a server is not masked, so all clients of a topic get the same bytes.
final class WebSocketEvents: PatchCodec {
    static let shared = WebSocketEvents()

    let contentType = "application/json"

    func preamble(retry: Int, heartbeat: Duration) -> [UInt8] { [] }

    /// A long value is shared with the frame, and not copied.
    func encode(_ event: StateEvent, skipped: Int, at time: @autoclosure () -> Int) -> EncodedEvent {
        let json = event.json
        let head = Array("{\"revision\":\(event.revision),\"state\":".utf8)
        let tail = Array((skipped > 0 ? ",\"skipped\":\(skipped)}" : "}").utf8)
        let start = WebSocketFrame.header(.text, head.count + json.count + tail.count) + head
        if json.count >= EncodedEvent.minSharedBytes { return EncodedEvent(start, shared: json, tail) }
        return Self.event(start + json + tail)
    }

    func encode(_ event: EffectEvent, at time: @autoclosure () -> Int) -> EncodedEvent {
        Self.event(WebSocketFrame.bytes(.text, event.json))
    }

    func heartbeat(isEvent: Bool, at time: Int) -> [UInt8] {
        isEvent ? WebSocketFrame.bytes(.text, Array("{}".utf8)) : WebSocketFrame.bytes(.ping)
    }

    func closed(_ reason: String, retry: Int?, at time: Int) -> [UInt8] {
        WebSocketFrame.bytes(.text, Array("{\"reason\":\"\(reason)\"}".utf8))
    }

    func encode(_ event: PatchEvent) -> EncodedEvent { Self.event(WebSocketFrame.bytes(.text, event.json)) }

    func append(_ event: PatchEvent, to missed: inout [UInt8]) {
        missed += WebSocketFrame.bytes(.text, event.json)
    }

    func encode(missed: [UInt8]) -> EncodedEvent { Self.event(missed) }

    private static func event(_ frames: [UInt8]) -> EncodedEvent {
        EncodedEvent(framed: frames, payload: 0..<frames.count)
    }
}

extension StreamFormat {
    /// The format with its events as frames.
    var inFrames: StreamFormat { showsPatches ? Self.patchFrames : Self.stateFrames }

    private static let stateFrames = StreamFormat(.values, WebSocketEvents.shared)
    private static let patchFrames = StreamFormat(.patches(WebSocketEvents.shared), WebSocketEvents.shared)
}
