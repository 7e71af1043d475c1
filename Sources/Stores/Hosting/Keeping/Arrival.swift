import JSON

/// What a store remembers of where it came from until it goes on: its state was migrated, which is to be a commit.
@usableFromInline
final class Arrival: Sendable {
    /// The state as it was kept.
    private let json: [UInt8]
    private let schema: Int
    let recorder: (any ActionRecorder)?

    /// - Parameters:
    ///   - json: the state as it was kept.
    ///   - schema: the one that it was kept in.
    ///   - recorder: what the store records to.
    @usableFromInline
    init(_ json: [UInt8], schema: Int, _ recorder: (any ActionRecorder)?) {
        self.json = json
        self.schema = schema
        self.recorder = recorder
    }

    /// The commit that makes of the state that was kept the one that the store has.
    func record(_ kept: KeptState, schema: Int, revision: Int, at moment: Int) -> ActionRecord {
        ActionRecord(
            revision: revision, type: "store/migrated",
            payload: ["from": .integer(self.schema), "to": .integer(schema)], origin: .system, cause: nil, at: moment,
            changes: StatePatch(from: json, to: kept.json), hidden: kept.hidden)
    }
}
