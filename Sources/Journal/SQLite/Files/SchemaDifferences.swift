/// How the tables and indexes of a file differ from those that Storehouse makes.
///
/// A file may come from somebody else. SQLite would run the triggers in it, ask its views for the rows of tables, and evaluate the
/// expressions of its indexes and columns.
struct SchemaDifferences {
    /// Objects that no release makes.
    private(set) var unknown: [String] = []
    /// Objects that are missing or different, so that the rows cannot be trusted, or not be read.
    private(set) var wrong: [String] = []

    var all: [String] { wrong + unknown }

    /// Compares a file with what the migrations make of an empty one up to its version.
    init(of file: Connection, version: Int) throws(SQLiteError) {
        let found = try SchemaObject.all(in: file)
        let expected = try Self.objects(ofVersion: version, hasClients: found.contains(where: \.isOfClients))
        for object in found where !expected.contains(object) && !SchemaObject.ofSQLite.contains(object) {
            if expected.contains(where: object.hasSameName(as:)) {
                wrong.append("its schema has another \(object) than Storehouse makes")
            } else {
                unknown.append("its schema has the \(object), which no release of Storehouse makes")
            }
        }
        for object in expected where !found.contains(where: object.hasSameName(as:)) {
            wrong.append("its schema lacks the \(object)")
        }
    }

    /// - Parameter hasClients: whether a file has the table, which older files of the newest version lack.
    private static func objects(ofVersion version: Int, hasClients: Bool) throws(SQLiteError) -> Set<SchemaObject> {
        let empty = try Connection(":memory:", .create)
        try Schema.migrate(empty, from: 0, to: version)
        if version == Schema.version, hasClients { try empty.execute(Schema.clientsTable) }
        return Set(try SchemaObject.all(in: empty))
    }

    /// Throws if there is a difference.
    ///
    /// - Parameter path: the file's name in the error.
    static func reject(in file: Connection, version: Int, _ path: String) throws(StorageError) {
        let found = try storageErrors(path) { () throws(SQLiteError) in
            try SchemaDifferences(of: file, version: version)
        }
        if let first = found.all.first { throw .corrupt(path: path, detail: first) }
    }
}

/// A row of SQLite's table of a schema. Texts are bytes, since SQLite compares those of them.
private struct SchemaObject: Hashable, CustomStringConvertible {
    private let kind: [UInt8]
    private let name: [UInt8]
    private let table: [UInt8]
    /// Without spaces that mean nothing; nil for the index of a column that is declared as unique.
    private let sql: [UInt8]?

    /// The tables that SQLite adds when an operator has it collect statistics.
    static let ofSQLite: Set<SchemaObject> = [
        SchemaObject("sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
        SchemaObject("sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
    ]

    private init(_ table: String, _ sql: String) {
        kind = Array("table".utf8)
        name = Array(table.utf8)
        self.table = name
        self.sql = Array(sql.utf8)
    }

    private init(_ row: borrowing Row) {
        kind = row.bytes(0)
        name = row.bytes(1)
        table = row.bytes(2)
        sql = row.optionalBytes(3).map(Self.normalized)
    }

    static func all(in file: Connection) throws(SQLiteError) -> [SchemaObject] {
        try file.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master").all({ _ in }, SchemaObject.init)
    }

    var isOfClients: Bool { name == Array("clients".utf8) }

    func hasSameName(as other: SchemaObject) -> Bool { kind == other.kind && name == other.name }

    /// The name comes from the file, and could move the cursor of a terminal.
    var description: String {
        let isPrintable = name.count <= 64 && name.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x27 }
        let kinds = ["table", "index", "trigger", "view"]
        let kind = kinds.first { Array($0.utf8) == self.kind } ?? "object"
        return isPrintable ? "\(kind) '\(String(decoding: name, as: UTF8.self))'" : "\(kind) of an unprintable name"
    }

    /// SQL with at most one space between two words, and none beside a bracket or a comma. Nothing of ours has texts in quotes or
    /// comments, so an equal result has an equal meaning.
    private static func normalized(_ sql: [UInt8]) -> [UInt8] {
        let marks = Array("(),".utf8)
        var result: [UInt8] = []
        var hasSpace = false
        for byte in sql {
            if [0x20, 0x09, 0x0a, 0x0c, 0x0d].contains(byte) {
                hasSpace = true
                continue
            }
            if hasSpace, let last = result.last, !marks.contains(last), !marks.contains(byte) { result.append(0x20) }
            result.append(byte)
            hasSpace = false
        }
        return result
    }
}
