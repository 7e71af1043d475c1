import StoreHosting

/// The actions that the client of a stream has missed: the newest of them, as many as may be sent.
package struct MissedActions: Sendable {
    /// Encoded as they are sent.
    package struct Events: Sendable {
        /// The actions whose events come before the events of the selected value.
        package let before: MissedEvents
        /// The last actions, which have not changed the value. Their events have ids, so that a resume does not repeat them.
        package let behind: MissedEvents

        package static let none = Events(before: .none, behind: .none)
    }

    private let codec: any EventCodec
    private let maxBytes: Int
    private var commits: [CommitRecord] = []
    private var lengths: [Int] = []
    /// The index of the first that is sent.
    private var first = 0
    private var byteCount = 0

    init(_ codec: any EventCodec, maxBytes: Int) {
        self.codec = codec
        self.maxBytes = maxBytes
    }

    mutating func add(_ commit: CommitRecord) {
        var event: [UInt8] = []
        codec.append(commit, id: nil, to: &event)
        commits.append(commit)
        lengths.append(event.count)
        byteCount += event.count
        while byteCount > maxBytes {
            byteCount -= lengths[first]
            first += 1
        }
        guard first > 64, first > commits.count / 2 else { return }
        commits.removeFirst(first)
        lengths.removeFirst(first)
        first = 0
    }

    /// - Parameter revision: that of the last event of the selected value.
    func events(around revision: Int, of historyID: String) -> Events {
        let sent = commits[first...]
        let end = sent.firstIndex { $0.revision > revision } ?? sent.endIndex
        return Events(before: encoded(sent[..<end], nil), behind: encoded(sent[end...], historyID))
    }

    private func encoded(_ commits: ArraySlice<CommitRecord>, _ historyID: String?) -> MissedEvents {
        if commits.isEmpty { return .none }
        return MissedEvents(encoded: codec.encode(events: codec.bytes(of: commits, historyID)), count: commits.count)
    }
}

extension EventCodec {
    /// The events of actions.
    ///
    /// - Parameter historyID: makes their ids; nil if the event of a value follows, whose id stands for them.
    func bytes(of commits: some Collection<CommitRecord>, _ historyID: String?) -> [UInt8] {
        var events: [UInt8] = []
        for commit in commits { append(commit, id: historyID.map { "\($0)-\(commit.revision)" }, to: &events) }
        return events
    }
}
