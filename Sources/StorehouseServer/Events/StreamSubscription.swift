import HTTP
import JSON
package import StoreHosting
import Stores

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
