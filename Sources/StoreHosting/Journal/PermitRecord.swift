/// A right to a part of a session, as it is stored with the session. The journal does not read its terms.
package struct PermitRecord: Sendable, Equatable {
    /// The length of an id.
    package static let idLength = 22

    /// Tells it from others of the session: ``idLength`` characters of URL-safe base64.
    package let id: String
    /// A JSON object.
    package let content: [UInt8]

    /// A right with the terms in `content`.
    package init(id: String, content: [UInt8]) {
        self.id = id
        self.content = content
    }
}

/// A change of the permits of a session.
package enum PermitChange: Sendable, Equatable {
    /// One was made, and those with these ids have expired.
    case made(PermitRecord, dropped: [String])
    /// The permits with these ids were revoked.
    case revoked([String])
    /// All were revoked: those with these ids, and all that were made at an earlier generation.
    case revokedAll(generation: Int, [String])

    /// The approximate number of bytes to write.
    package var byteCount: Int {
        switch self {
        case .made(let record, let dropped): 64 + record.content.count + PermitRecord.idLength * dropped.count
        case .revoked(let ids), .revokedAll(_, let ids): 64 + PermitRecord.idLength * ids.count
        }
    }
}

/// The permits of a session that were in force when it ended. Some may have expired.
package struct FinalPermits: Sendable, Equatable {
    /// How often all permits were revoked.
    package let generation: Int
    /// Their ids, each with a space behind it: one text takes a quarter of the memory of many.
    private let ids: String

    /// Permits with `ids`, of a session whose permits were all revoked `generation` times.
    package init(generation: Int, ids: [String]) {
        self.init(generation: generation, list: ids.map { $0 + " " }.joined())
    }

    /// - Parameter list: the ids, each with a space behind it.
    package init(generation: Int, list: String) { (self.generation, ids) = (generation, list) }

    /// How many bytes the ids take.
    package var byteCount: Int { ids.utf8.count }

    /// Whether the permit with this id is one of them.
    package func contains(_ id: String) -> Bool { ids.split(separator: " ").contains { $0 == id } }
}
