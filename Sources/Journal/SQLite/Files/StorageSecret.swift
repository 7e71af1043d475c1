/// The secret of a database: 256 random bits in the table `meta`, which holds numbers.
enum StorageSecret {
    private static let rows = ["secret_0", "secret_1", "secret_2", "secret_3"]

    /// Reads the secret, and makes it if the file has none.
    static func bytes(in file: Connection) throws(SQLiteError) -> [UInt8] {
        if let numbers = try numbers(in: file) { return bytes(numbers) }
        let numbers = rows.map { _ in Int.random(in: .min ... .max) }
        let values = zip(rows, numbers).map { "('\($0)', \($1))" }.joined(separator: ", ")
        try file.execute("INSERT OR REPLACE INTO meta VALUES \(values)")
        return bytes(numbers)
    }

    private static func numbers(in file: Connection) throws(SQLiteError) -> [Int]? {
        var found: [Int] = []
        for name in rows {
            guard let number = try file.integer("SELECT value FROM meta WHERE name = '\(name)'") else { return nil }
            found.append(number)
        }
        return found
    }

    private static func bytes(_ numbers: [Int]) -> [UInt8] {
        numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    }
}
