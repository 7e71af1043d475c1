package import StoreHosting

/// The commits that the client of a stream has missed, encoded as they are read: only their events stay in memory.
package struct MissedCommits: Sendable {
    private let codec: any PatchCodec
    private let selection: Selection
    private let historyID: String
    private let maxBytes: Int
    private var bytes: [UInt8] = []
    private var count = 0
    /// The revision of the newest commit that was added; the client's own revision before the first.
    package private(set) var revision: Int
    /// Whether the events are too long, or only the state can bring the client up to date.
    package private(set) var needsState = false

    /// Nil if the stream shows no patches.
    ///
    /// - Parameters:
    ///   - revision: what the client has.
    ///   - maxBytes: how long the events may be.
    package init?(_ subscription: StreamSubscription, historyID: String, after revision: Int, maxBytes: Int) {
        guard let codec = subscription.format.patchCodec else { return nil }
        self.codec = codec
        selection = subscription.selection
        self.historyID = historyID
        self.maxBytes = maxBytes
        self.revision = revision
    }

    /// Adds the commits that follow.
    package mutating func add(_ commits: [CommitRecord]) {
        for commit in commits where !needsState { add(commit) }
    }

    private mutating func add(_ commit: CommitRecord) {
        revision = commit.revision
        switch selection.project(commit.changes) {
        case .unchanged: break
        case .value, .needsValue: needsState = true
        case .patch(let patch):
            codec.append(PatchEvent(historyID: historyID, revision: revision, patch: patch), to: &bytes)
            count += 1
            needsState = bytes.count > maxBytes
        }
    }

    /// The events; nil if the client needs the state.
    package var events: MissedEvents? {
        needsState ? nil : MissedEvents(encoded: codec.encode(missed: bytes), count: count)
    }
}
