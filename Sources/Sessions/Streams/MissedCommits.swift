package import StoreHosting

/// The commits that the client of a stream has missed, encoded as they are read: of the changes, only the events stay in memory.
package struct MissedCommits: Sendable {
    private let codec: (any PatchCodec)?
    private let selection: Selection
    private let historyID: String
    private let maxBytes: Int
    private var bytes: [UInt8] = []
    private var count = 0
    /// The changes as one; nil if each is an event.
    private var merged: EncodedPatch?
    /// The revision of the newest commit that was added; the client's own revision before the first.
    package private(set) var revision: Int
    /// That of the newest commit that has changed the selected value; the client's own revision before the first.
    private var lastChangedRevision: Int
    /// Whether the events are too long, or only the state can bring the client up to date.
    private var needsState: Bool
    /// Nil if the client does not ask for them.
    private var missedActions: MissedActions?

    /// - Parameters:
    ///   - shows: what the stream shows beside the value.
    ///   - revision: what the client has.
    ///   - maxBytes: how long the patches may be.
    package init(
        _ subscription: StreamSubscription, _ shows: StreamExtras, historyID: String, after revision: Int, maxBytes: Int
    ) {
        codec = subscription.format.patchCodec
        needsState = codec == nil
        selection = subscription.selection
        self.historyID = historyID
        self.maxBytes = maxBytes
        self.revision = revision
        lastChangedRevision = revision
        // An event that ended within an entry would show a part of it.
        if shows.contains(.through) { merged = EncodedPatch() }
        if shows.contains(.actions) {
            missedActions = MissedActions(subscription.format.codec, maxBytes: StreamLimits.mostMissedBytes)
        }
    }

    /// Whether more commits make a difference.
    package var wantsMore: Bool { !needsState || missedActions != nil }

    /// Whether it shows the actions.
    package var showsActions: Bool { missedActions != nil }

    /// Leaves commits out: those after its own revision, up to this one.
    package mutating func skip(to revision: Int) {
        self.revision = max(self.revision, revision)
        needsState = true
    }

    /// Adds the commits that follow.
    package mutating func add(_ commits: [CommitRecord]) {
        for commit in commits where wantsMore { add(commit) }
    }

    private mutating func add(_ commit: CommitRecord) {
        revision = commit.revision
        missedActions?.add(commit)
        guard !needsState, let codec else { return }
        switch selection.project(commit.changes) {
        case .unchanged: break
        case .value, .needsValue: needsState = true
        case .patch(let patch):
            codec.append(PatchEvent(historyID: historyID, revision: revision, patch: patch), to: &bytes)
            count += 1
            lastChangedRevision = revision
            needsState = bytes.count > maxBytes
            merged?.append(patch)
        }
    }

    /// The events of the changes, and the revision of the last; nil if the client needs the state.
    ///
    /// - Parameter through: the clients whose entries they contain.
    package func events(_ through: Through) -> (MissedEvents, lastRevision: Int)? {
        guard !needsState, let codec else { return nil }
        guard let merged, count > 0 else {
            return (MissedEvents(encoded: codec.encode(events: bytes), count: count), lastChangedRevision)
        }
        let event = PatchEvent(
            historyID: historyID, revision: lastChangedRevision, patch: merged, through: through)
        return (MissedEvents(encoded: codec.encode(event), count: 1), lastChangedRevision)
    }

    /// The events of the actions, around those of the selected value.
    ///
    /// - Parameter revision: that of the last of the latter.
    package func actions(around revision: Int) -> MissedActions.Events {
        missedActions?.events(around: revision, of: historyID) ?? .none
    }
}
