import Sessions
import StoreHosting
import Stores

/// Events as lines for a terminal. Its transcripts are ``TerminalLines``.
final class TerminalCodec: EventCodec {
    private let inColor: Bool

    init(inColor: Bool) { self.inColor = inColor }

    let contentType = "text/plain; charset=utf-8"

    func preamble(retry: Int, heartbeat: Duration) -> [UInt8] { [] }

    func encode(_ event: StateEvent, skipped: Int, at time: @autoclosure () -> Int) -> EncodedEvent {
        EncodedEvent(TerminalLines.line(of: event, skipped: skipped, at: time(), inColor: inColor))
    }

    func encode(_ event: EffectEvent, at time: @autoclosure () -> Int) -> EncodedEvent {
        EncodedEvent(TerminalLines.line(of: event, at: time(), inColor: inColor))
    }

    func encode(_ list: PresenceList, at time: Int) -> EncodedEvent {
        EncodedEvent(sharing: TerminalLines.note(list.phrase, at: time, inColor: inColor))
    }

    func encode(_ change: PresenceChange, at time: Int) -> EncodedEvent {
        EncodedEvent(sharing: TerminalLines.note(change.phrase, at: time, inColor: inColor))
    }

    func encode(_ signal: SignalEvent) -> EncodedEvent {
        EncodedEvent(TerminalLines.line(of: signal, inColor: inColor))
    }

    func encode(_ event: ReadyEvent) -> EncodedEvent {
        EncodedEvent(TerminalLines.note("up to date", at: event.time, inColor: inColor))
    }

    func append(_ action: CommitRecord, id: String?, to events: inout [UInt8]) {
        events += TerminalLines.line(of: action, inColor: inColor)
    }

    func encode(events: [UInt8]) -> EncodedEvent { EncodedEvent(events) }

    func encode(events: [UInt8], before event: EncodedEvent) -> EncodedEvent { EncodedEvent(events, before: event) }

    func heartbeat(isEvent: Bool, at time: Int) -> [UInt8] {
        TerminalLines.note("nothing has changed", at: time, inColor: inColor)
    }

    func closed(_ reason: String, retry: Int?, at time: Int) -> [UInt8] {
        TerminalLines.note("closed: \(reason)", at: time, inColor: inColor)
    }
}
