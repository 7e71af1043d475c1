import HTTP
import JSON
import Stores

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
            if let code { json.member("code", code.rawValue) }
            if let duration { json.member("duration", duration) }
            if let upstream { json.member("upstream", upstream) }
        }
        return json.finish()
    }
}
