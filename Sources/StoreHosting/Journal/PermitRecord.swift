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
    /// The one with this id was revoked.
    case revoked(String)
    /// All were revoked: those with these ids, and all that were made at an earlier generation.
    case revokedAll(generation: Int, [String])

    /// The approximate number of bytes to write.
    package var byteCount: Int {
        switch self {
        case .made(let record, let dropped): 64 + record.content.count + PermitRecord.idLength * dropped.count
        case .revoked: 64
        case .revokedAll(_, let ids): 64 + PermitRecord.idLength * ids.count
        }
    }
}
