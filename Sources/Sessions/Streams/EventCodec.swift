package import StoreHosting
package import Stores
import Threads

/// Encodes the events of streams for their clients. Streams with the same codec share what it has encoded.
///
/// Times are milliseconds since 1970.
package protocol EventCodec: AnyObject, Sendable {
    /// The media type of the events.
    var contentType: String { get }

    /// The bytes before the first event, which are a part of it.
    ///
    /// - Parameters:
    ///   - retry: how many milliseconds a disconnected client waits before it reconnects.
    ///   - heartbeat: the longest silence. A client that hears nothing for much longer has lost its server.
    func preamble(retry: Int, heartbeat: Duration) -> [UInt8]

    /// - Parameter skipped: how many events were left out before it.
    func encode(_ event: StateEvent, skipped: Int, at time: @autoclosure () -> Int) -> EncodedEvent

    func encode(_ event: EffectEvent, at time: @autoclosure () -> Int) -> EncodedEvent

    /// The event of a whole list. It has no id, as it changes nothing.
    func encode(_ list: PresenceList, at time: Int) -> EncodedEvent

    /// The event for whoever has the list before.
    func encode(_ change: PresenceChange, at time: Int) -> EncodedEvent

    /// The event of a signal. It has no id, so that nothing of it is sent again.
    func encode(_ signal: SignalEvent) -> EncodedEvent

    /// The event of a client that is up to date. It has no id, as it changes nothing.
    func encode(_ event: ReadyEvent) -> EncodedEvent

    /// Adds the event of an action to those before it. If it has an id, a client that has the event needs nothing of its revision.
    func append(_ action: CommitRecord, id: String?, to events: inout [UInt8])

    /// Events that are encoded already, as one.
    func encode(events: [UInt8]) -> EncodedEvent

    /// An event behind others, which are encoded already, as one.
    func encode(events: [UInt8], before event: EncodedEvent) -> EncodedEvent

    /// - Parameter isEvent: whether a page can hear it, which sees no comments. It has no id, as it changes nothing.
    func heartbeat(isEvent: Bool, at time: Int) -> [UInt8]

    /// The last event.
    ///
    /// - Parameter retry: how many milliseconds the client waits before it reconnects; nil for the time of the preamble.
    func closed(_ reason: String, retry: Int?, at time: Int) -> [UInt8]
}

/// Encodes changes as patches, too.
package protocol PatchCodec: EventCodec {
    func encode(_ event: PatchEvent) -> EncodedEvent

    /// Adds an event that a client has missed to those before it.
    func append(_ event: PatchEvent, to missed: inout [UInt8])
}

/// Encodes the commits of one selected value, for clients that see what each of them has replaced.
package protocol CommitTranscript: AnyObject {
    /// The newest commits; nil if they leave the value alone.
    func encode(_ selection: Selection, _ state: borrowing StateView) -> EncodedEvent?
}

/// A format of streams: what they show of each change, and how it is encoded. Two formats are equal if they are one object.
package final class StreamFormat: Sendable {
    package enum Content: Sendable {
        /// The value after each change.
        case values
        /// Each change as a JSON Patch.
        case patches(any PatchCodec)
        /// Each commit as a transcript has it, which begins with a value, and shows the names of actions or not.
        case commits(@Sendable (_ value: [UInt8], _ showsActions: Bool) -> any CommitTranscript)
    }

    package let codec: any EventCodec
    package let content: Content
    private let wholeState = LazyReference<StreamSubscription>()

    package init(_ content: Content, _ codec: any EventCodec) {
        self.content = content
        self.codec = codec
    }

    /// Nil if it does not show patches.
    package var patchCodec: (any PatchCodec)? { if case .patches(let codec) = content { codec } else { nil } }

    package var showsPatches: Bool { if case .patches = content { true } else { false } }

    /// A subscription with these properties. All streams of the whole state share one object.
    package func subscription(
        to selection: Selection, isByPermit: Bool = false, historyID: String? = nil
    ) -> StreamSubscription {
        guard selection == .root, !isByPermit else {
            return StreamSubscription(
                selection: selection, format: self, isByPermit: isByPermit, historyID: historyID)
        }
        return wholeState.load(orStore: StreamSubscription(selection: .root, format: self))
    }
}

extension StreamFormat: Equatable {
    package static func == (left: StreamFormat, right: StreamFormat) -> Bool { left === right }
}

/// The part of the state that a stream shows, and its format.
package final class StreamSubscription: Sendable {
    package let selection: Selection
    package let format: StreamFormat
    /// Whether its clients came by a share. They see no actions.
    package let isByPermit: Bool
    /// The history in which its events count; nil for that of the session. It follows from the selection.
    package let historyID: String?

    package init(selection: Selection, format: StreamFormat, isByPermit: Bool = false, historyID: String? = nil) {
        self.selection = selection
        self.format = format
        self.isByPermit = isByPermit
        self.historyID = historyID
    }

    /// Whether it shows the value of one actor.
    var isPersonal: Bool { selection.reader != nil }

    package static func == (left: StreamSubscription, right: StreamSubscription) -> Bool {
        left === right
            || left.selection == right.selection && left.format === right.format && left.isByPermit == right.isByPermit
    }
}

extension StreamSubscription: Hashable {
    package func hash(into hasher: inout Hasher) {
        hasher.combine(selection)
        hasher.combine(ObjectIdentifier(format))
    }
}

extension Selection {
    /// The changes of a patch of the whole state in the selected value.
    package func project(_ patch: EncodedPatch) -> EncodedPatch.Projection {
        switch self {
        case .root: patch.isEmpty ? .unchanged : .patch(patch)
        case .pointer(let pointer): patch.projected(to: pointer)
        // A selector may read what no patch shows: hidden members, and properties that are no members.
        case .named, .personal: .needsValue
        }
    }
}
