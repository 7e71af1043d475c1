import StoreHosting

extension WriteConnection {
    /// Changes the permits of a session.
    func apply(_ change: PermitChange, of number: Int) throws(SQLiteError) {
        switch change {
        case .made(let record, let dropped):
            for id in dropped { try deletePermit(id, of: number) }
            try insert(record, of: number)
        case .revoked(let ids): try delete(ids, of: number)
        case .revokedAll(let generation, let ids):
            try setShareGeneration(generation, of: number)
            try delete(ids, of: number)
        }
    }

    /// Deletes the rows of revoked permits, and leaves one that tells of the revocation.
    private func delete(_ ids: [String], of number: Int) throws(SQLiteError) {
        for id in ids + [PermitRecord.revocation.id] { try deletePermit(id, of: number) }
        try insert(.revocation, of: number)
    }

    func insert(_ record: PermitRecord, of number: Int) throws(SQLiteError) {
        try statements.insertPermit.run { values in
            values.set(1, number)
            values.set(2, text: record.id)
            values.set(3, text: record.content)
            values.set(4, record.checksum)
        }
    }

    private func deletePermit(_ id: String, of number: Int) throws(SQLiteError) {
        try statements.deletePermit.run { values in
            values.set(1, number)
            values.set(2, text: id)
        }
    }
}
