import JSON
package import StoreHosting

/// The value that the streams of one subscription have been sent last. It decides what each commit changes for them.
package struct Topic {
    /// The change that a commit makes to the selected value.
    package enum Change: Equatable {
        /// The value is a different one.
        case value
        case patch(EncodedPatch)
        /// The commits as the transcript of the format has them.
        case commits(EncodedEvent)
    }

    package let subscription: StreamSubscription
    /// The revision that changed the selected value last, as far as it is known.
    package private(set) var lastChangedRevision: Int
    private var memory = Memory.nothing

    /// The selected value as of the newest commit that was taken, as far as it is stored.
    private enum Memory {
        /// The whole state is not stored, because the store has its JSON already.
        case nothing
        case value([UInt8])
        // Few topics have one, and all take the memory of the largest case.
        indirect case transcript(any CommitTranscript)
    }

    package init(_ subscription: StreamSubscription, _ state: borrowing StateView) {
        self.subscription = subscription
        self.lastChangedRevision = state.revision
        if case .commits(let transcript) = subscription.format.content {
            memory = .transcript(transcript(state.encoded(subscription.selection), !subscription.isByPermit))
        } else if subscription.selection != .root {
            memory = .value(state.encoded(subscription.selection))
        }
    }

    /// The selected value now. All callers share its memory, until the next commit that changes it.
    package mutating func value(_ state: borrowing StateView) -> [UInt8] {
        switch memory {
        case .value(let value): return value
        case .transcript: return state.encoded(subscription.selection)
        case .nothing:
            let value = state.encoded(subscription.selection)
            if subscription.selection != .root { memory = .value(value) }
            return value
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
        let projected = subscription.selection.project(changes)
        if projected == .unchanged { return nil }
        let change: Change? =
            switch memory {
            case .transcript(let transcript):
                transcript.encode(subscription.selection, state).map(Change.commits)
            case .value(let value): change(projected, from: value, state)
            case .nothing: change(projected, from: nil, state)
            }
        if change != nil { lastChangedRevision = state.revision }
        return change
    }

    private mutating func change(
        _ projected: EncodedPatch.Projection, from old: [UInt8]?, _ state: borrowing StateView
    ) -> Change? {
        let showsPatches = subscription.format.showsPatches
        guard subscription.selection != .root else {
            guard showsPatches, case .patch(let patch) = projected else { return .value }
            return .patch(patch)
        }
        // A long value is not encoded for each patch: only the next stream that opens needs it.
        if showsPatches, case .patch(let patch) = projected, patch.replacement == nil,
            old.map({ $0.count > Self.maxComparedBytes }) ?? true
        {
            memory = .nothing
            return .patch(patch)
        }
        let new = projected.value ?? state.encoded(subscription.selection)
        if old == new { return nil }
        memory = .value(new)
        guard showsPatches else { return .value }
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
