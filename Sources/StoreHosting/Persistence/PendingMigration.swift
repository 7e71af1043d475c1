import JSON
import Stores

/// A migration of the restored state. It becomes the first commit when the store resumes.
@usableFromInline
final class PendingMigration: Sendable {
    /// The state before the migration, as JSON.
    private let json: [UInt8]
    private let schema: Int

    /// - Parameters:
    ///   - json: the state before the migration.
    ///   - schema: the schema of that state.
    @usableFromInline
    init(_ json: [UInt8], schema: Int) {
        self.json = json
        self.schema = schema
    }

    /// The commit of the migration.
    ///
    /// - Parameters:
    ///   - migrated: the state after the migration.
    ///   - schema: the schema of that state.
    func record(_ migrated: StateSnapshot, schema: Int, revision: Int, at moment: Int) -> CommitRecord {
        CommitRecord(
            revision: revision, type: "store/migrated",
            payload: ["from": .integer(self.schema), "to": .integer(schema)], origin: .system, cause: nil,
            committedAt: moment,
            changes: EncodedPatch(from: json, to: migrated.json), privateState: migrated.privateState)
    }
}
