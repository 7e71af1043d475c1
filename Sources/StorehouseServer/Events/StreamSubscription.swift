import HTTP
import JSON
import StoreHosting
import Stores

/// What a stream shows: a part of the state, and in which form.
struct StreamSubscription: Sendable, Hashable {
    enum Form: Sendable, Hashable {
        /// The value after each change.
        case state
        /// What each change was.
        case patch
        /// What each change was, in a line for a terminal.
        case text(inColor: Bool)
    }

    let selection: Selection
    let form: Form
}

extension StreamSubscription.Form {
    /// What `?changes=` may ask for.
    static let named: [(name: String, form: StreamSubscription.Form)] = [("state", .state), ("patch", .patch)]
}

extension Selection {
    /// What a patch of the whole state means to somebody who sees this of it.
    func narrow(_ patch: EncodedPatch) -> EncodedPatch.Narrowed {
        switch self {
        case .whole: patch.isEmpty ? .unchanged : .patch(patch)
        case .pointer(let pointer): patch.narrowed(to: pointer)
        case .named: patch.isEmpty ? .unchanged : .unclear
        }
    }
}

// What a stream says of itself and of single values, in each form. Moments are milliseconds since 1970.
extension StreamSubscription.Form {
    var contentType: String {
        switch self {
        case .state, .patch: "text/event-stream; charset=utf-8"
        case .text: "text/plain; charset=utf-8"
        }
    }

    /// What comes before the first event.
    /// - Parameter retry: after how many milliseconds a client that was cut off is to come back.
    func greeting(retry: Int) -> [UInt8] {
        switch self {
        case .state, .patch: ServerSentEvent(retry: retry, comment: "storehouse").bytes
        case .text: []
        }
    }

    func value(_ event: StateEvent, skipped: Int = 0, at moment: Int) -> [UInt8] {
        switch self {
        case .state, .patch: event.encoded(skipped: skipped)
        case .text(let inColor): TerminalLines.line(of: event, skipped: skipped, at: moment, inColor: inColor)
        }
    }

    func heartbeat(at moment: Int) -> [UInt8] {
        switch self {
        case .state, .patch: ServerSentEvent(comment: "").bytes
        case .text(let inColor): TerminalLines.note("nothing has changed", at: moment, inColor: inColor)
        }
    }

    func closed(_ reason: String, retry: Int?, at moment: Int) -> [UInt8] {
        switch self {
        case .state, .patch:
            ServerSentEvent(event: "closed", data: Array("{\"reason\":\"\(reason)\"}".utf8), retry: retry).bytes
        case .text(let inColor): TerminalLines.note("closed: \(reason)", at: moment, inColor: inColor)
        }
    }
}
