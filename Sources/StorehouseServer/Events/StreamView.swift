import JSON
import Stores

/// What a stream shows: a part of the state, and in which form.
struct StreamView: Sendable, Hashable {
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

extension StreamView.Form {
    /// What `?changes=` may ask for.
    static let named: [(name: String, form: StreamView.Form)] = [("state", .state), ("patch", .patch)]
}

extension Selection {
    /// What a patch of the whole state means to somebody who sees this of it.
    func narrow(_ patch: StatePatch) -> StatePatch.Narrowed {
        switch self {
        case .whole: patch.isEmpty ? .unchanged : .patch(patch)
        case .pointer(let pointer): patch.narrowed(to: pointer)
        case .named: patch.isEmpty ? .unchanged : .unclear
        }
    }
}
