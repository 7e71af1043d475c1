/// An event of a commit, encoded once for all streams of a topic, or news for the streams of one client.
public struct EventFrame: Sendable {
    /// The bytes for streams that show more than the value.
    struct Variants: Sendable {
        /// Nil if they are those of a stream that shows nothing more.
        var actions: EncodedEvent?
        var through: EncodedEvent?
        /// Nil if they are those with actions.
        var both: EncodedEvent?
    }

    /// The parts that few frames have.
    package final class Extras: Sendable {
        fileprivate let variants: Variants
        fileprivate let ready: [ClientKey: ReadyNews]

        fileprivate init(_ variants: Variants, _ ready: [ClientKey: ReadyNews]) {
            self.variants = variants
            self.ready = ready
        }
    }

    package let revision: Int
    /// The streams that show whose entries a value contains have been told of those up to this decision.
    package let decision: Int
    /// The event of the selected value; no bytes if that is unchanged, or if every stream shows more.
    package let plain: EncodedEvent
    /// Nil if every stream gets ``plain``. A stream that sees this itself needs no call, and copies no event.
    package let extras: Extras?

    init(_ revision: Int, _ event: EncodedEvent) {
        (self.revision, plain, decision, extras) = (revision, event, 0, nil)
    }

    /// - Parameters:
    ///   - decision: that of the topic.
    ///   - ready: the clients that the event should name, and does not. They get an event of their own behind it.
    init(
        _ revision: Int, _ event: EncodedEvent, _ variants: Variants, decision: Int = 0,
        ready: [ClientKey: ReadyNews] = [:]
    ) {
        (self.revision, plain, self.decision) = (revision, event, decision)
        extras = Extras(variants, ready)
    }

    /// The bytes for a stream, which may be none.
    package func event(for shows: StreamExtras) -> EncodedEvent {
        guard let variants = extras?.variants else { return plain }
        let withActions = shows.contains(.actions) ? variants.actions : nil
        guard shows.contains(.through) else { return withActions ?? plain }
        return (shows.contains(.actions) ? variants.both : variants.through) ?? withActions ?? plain
    }

    /// The news for a client that the event does not name; nil if there is none.
    package func ready(for client: ClientKey) -> ReadyNews? { extras?.ready[client] }
}
