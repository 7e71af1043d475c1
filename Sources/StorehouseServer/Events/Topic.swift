package import StoreHosting

/// What the streams of one subscription have been sent, and so what a commit means to them. A pure value.
package struct Topic {
    /// What a commit changed for the subscription.
    package enum Change: Equatable {
        /// The value is a different one.
        case value
        case patch(EncodedPatch)
        case lines([UInt8])
    }

    package let subscription: StreamSubscription
    /// The revision that changed the selected value last, as far as it is known.
    package private(set) var lastChangedRevision: Int
    /// The selected value, if patches of the whole state cannot always tell whether it has changed.
    private var json: [UInt8]?
    private var terminal: TerminalLines?

    package init(_ subscription: StreamSubscription, _ state: borrowing StateView) {
        self.subscription = subscription
        lastChangedRevision = state.revision
        if case .text(let inColor) = subscription.format {
            terminal = TerminalLines(of: state.encoded(subscription.selection), inColor: inColor)
        } else if subscription.selection != .root {
            json = state.encoded(subscription.selection)
        }
    }

    /// The changes of several commits as one patch of the whole state.
    package static func changes(of commits: [CommitRecord]) -> EncodedPatch {
        var changes = commits.first?.changes ?? EncodedPatch()
        for commit in commits.dropFirst() { changes.append(commit.changes) }
        return changes
    }

    /// Takes one or more commits.
    ///
    /// - Parameter changes: the patch of the whole state.
    /// - Returns: the change of the selected value; nil if it is unchanged.
    package mutating func update(_ state: borrowing StateView, _ changes: EncodedPatch) -> Change? {
        var projected = subscription.selection.project(changes)
        if projected == .unchanged { return nil }
        if let lines = terminal?.lines(of: subscription.selection, state) {
            if lines.isEmpty { return nil }
            lastChangedRevision = state.revision
            return .lines(lines)
        }
        if let old = json {
            let new = state.encoded(subscription.selection)
            if old == new { return nil }
            json = new
            if projected == .needsValue, subscription.format == .patch {
                projected = .patch(EncodedPatch(from: old, to: new))
            }
        }
        lastChangedRevision = state.revision
        guard subscription.format == .patch, case .patch(let patch) = projected else { return .value }
        return .patch(patch)
    }
}

extension PatchEvent {
    /// More bytes of missed patches than this are not sent: the state is shorter.
    static let maxMissedBytes = 1 << 18

    /// The events of commits that a client has missed; nil if only the state can bring it up to date.
    static func encoded(_ commits: [CommitRecord], of selection: Selection, historyID: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for commit in commits {
            switch selection.project(commit.changes) {
            case .unchanged: continue
            case .needsValue: return nil
            case .patch(let patch):
                bytes += PatchEvent(historyID: historyID, revision: commit.revision, patch: patch).encoded()
            }
            guard bytes.count <= maxMissedBytes else { return nil }
        }
        return bytes
    }
}
