import StoreHosting

extension WriteConnection {
    /// Changes the records of the clients of a session.
    func apply(_ change: ClientChange, of number: Int) throws(SQLiteError) {
        for mark in change.dropped {
            try statements.deleteClient.run { values in
                values.set(1, number)
                values.set(2, text: mark)
            }
        }
        if let row = change.put { try insert(row, of: number) }
    }

    /// Inserts a record, or replaces that with its mark.
    func insert(_ row: ClientRow, of number: Int) throws(SQLiteError) {
        try statements.putClient.run { values in
            values.set(1, number)
            values.set(2, text: row.mark)
            values.set(3, text: row.content)
            values.set(4, row.checksum)
        }
    }
}
