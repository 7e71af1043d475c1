package import StoreHosting

/// The value that the streams of one subscription have been sent last. It decides what each commit changes for them.
package struct Topic {
    /// The change that a commit makes to the selected value.
    package enum Change: Equatable {
        /// The value is a different one.
        case value
        case patch(EncodedPatch)
        case lines([UInt8])
    }

    package let subscription: StreamSubscription
    /// The revision that changed the selected value last, as far as it is known.
    package private(set) var lastChangedRevision: Int
    /// The selected value, as of the newest commit that was taken; nil if it is not known.
    ///
    /// The whole state is not stored, because the store has its JSON already.
    private var json: [UInt8]?
    private var terminal: TerminalLines?

    package init(_ subscription: StreamSubscription, _ state: borrowing StateView) {
        self.subscription = subscription
        self.lastChangedRevision = state.revision
        if case .text(let inColor) = subscription.format {
            terminal = TerminalLines(
                of: state.encoded(subscription.selection), inColor: inColor, showsActions: !subscription.isByPermit)
        } else if subscription.selection != .root {
            json = state.encoded(subscription.selection)
        }
    }

    /// The selected value now. All callers share its memory, until the next commit that changes it.
    package mutating func value(_ state: borrowing StateView) -> [UInt8] {
        if let json { return json }
        let value = state.encoded(subscription.selection)
        if terminal == nil, subscription.selection != .root { json = value }
        return value
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
        let projected = subscription.selection.project(changes)
        if projected == .unchanged { return nil }
        let change = terminal == nil ? change(projected, state) : lines(state)
        if change != nil { lastChangedRevision = state.revision }
        return change
    }

    private mutating func lines(_ state: borrowing StateView) -> Change? {
        let lines = terminal?.lines(of: subscription.selection, state) ?? []
        return lines.isEmpty ? nil : .lines(lines)
    }

    private mutating func change(_ projected: EncodedPatch.Projection, _ state: borrowing StateView) -> Change? {
        guard subscription.selection != .root else {
            guard subscription.format == .patch, case .patch(let patch) = projected else { return .value }
            return .patch(patch)
        }
        // A long value is not encoded for each patch: only the next stream that opens needs it.
        if subscription.format == .patch, case .patch(let patch) = projected, patch.replacement == nil,
            json.map({ $0.count > Self.maxComparedBytes }) ?? true
        {
            json = nil
            return .patch(patch)
        }
        let old = json
        let new = projected.value ?? state.encoded(subscription.selection)
        if old == new { return nil }
        json = new
        guard subscription.format == .patch else { return .value }
        if case .patch(let patch) = projected { return .patch(patch) }
        return .patch(old.map { EncodedPatch(from: $0, to: new) } ?? EncodedPatch([.init(.replace, "", new)]))
    }

    /// A longer value is not compared after each patch. A batch whose commits cancel each other is then sent all the same.
    static let maxComparedBytes = 65_536
}

extension EncodedPatch.Projection {
    /// The value after the changes, if they contain it.
    fileprivate var value: [UInt8]? {
        switch self {
        case .value(let value): value
        case .patch(let patch): patch.replacement
        case .unchanged, .needsValue: nil
        }
    }
}

extension EncodedPatch {
    /// The value that the last operation sets as a whole.
    fileprivate var replacement: [UInt8]? {
        operations.last.flatMap { $0.path.isEmpty && $0.kind == .replace ? $0.value : nil }
    }
}

extension PatchEvent {
    /// More bytes of missed patches than this are not sent: the state is shorter.
    static let maxMissedBytes = 1 << 18

    /// The events of commits that a client has missed; nil if they are longer than `maxBytes`, or if only the state can
    /// bring it up to date.
    static func encoded(
        _ commits: [CommitRecord], of selection: Selection, historyID: String, maxBytes: Int
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        for commit in commits {
            switch selection.project(commit.changes) {
            case .unchanged: continue
            case .value, .needsValue: return nil
            case .patch(let patch):
                bytes += PatchEvent(historyID: historyID, revision: commit.revision, patch: patch).encoded()
            }
            guard bytes.count <= maxBytes else { return nil }
        }
        return bytes
    }
}
