import CSQLite
import Foundation
import Journal

/// The commits in the table `segments` as rows of one commit each: a view `commits` that can be changed. It reads the bytes by code of
/// its own.
enum CommitView {
    /// Defines the view on a connection, if the file has the table.
    static func define(on handle: OpaquePointer) -> Int32 {
        let code = sqlite3_create_function_v2(
            handle, "commits_json", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, values in
                let start = sqlite3_value_blob(values?[0])
                let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(values?[0])))
                let json = (try? CommitBytes.json(Array(bytes))) ?? "[]"
                csqlite_result_blob(context, json, Int64(json.utf8.count))
            }, nil, nil, nil)
        guard code == SQLITE_OK else { return code }
        return isDefined(on: handle) ? sqlite3_exec(handle, view, nil, nil, nil) : SQLITE_OK
    }

    /// Whether the file has segments.
    static func isDefined(on handle: OpaquePointer) -> Bool {
        sqlite3_exec(handle, "SELECT 1 FROM main.segments LIMIT 1", nil, nil, nil) == SQLITE_OK
    }

    /// Makes segments of one commit each, as changes through the view require it.
    static let split = """
        CREATE TEMP TABLE parts AS SELECT session, revision, at, \(bytes("")) AS bytes FROM commits;
        DELETE FROM segments;
        INSERT INTO segments (session, first, last, first_at, last_at, commits)
            SELECT session, revision, revision, at, at, bytes FROM parts ORDER BY session, revision;
        DROP TABLE temp.parts;
        """

    /// The columns of `SELECT *` from the table of commits in an older file.
    static func columns(of schema: String) -> String {
        """
        SELECT session, value->>'revision', value->>'at', value->>'type', value->>'payload', value->>'origin',
            value->>'cause', value->>'changes', value->>'hidden', value->>'checksum'
        FROM \(schema).segments, json_each(CAST(commits_json(commits) AS TEXT))
        """
    }

    private static let view = """
        CREATE TEMP VIEW commits (session, revision, at, type, payload, origin, cause, changes, hidden, checksum)
            AS \(columns(of: "main"));
        CREATE TEMP TRIGGER deleting INSTEAD OF DELETE ON commits BEGIN
            DELETE FROM segments WHERE session = OLD.session AND last = OLD.revision;
        END;
        CREATE TEMP TRIGGER updating INSTEAD OF UPDATE ON commits BEGIN
            UPDATE segments SET first_at = NEW.at, last_at = NEW.at, commits = \(bytes("NEW."))
            WHERE session = OLD.session AND last = OLD.revision;
        END;
        CREATE TEMP TRIGGER inserting INSTEAD OF INSERT ON commits BEGIN
            INSERT INTO segments (session, first, last, first_at, last_at, commits)
            VALUES (NEW.session, NEW.revision, NEW.revision, NEW.at, NEW.at, \(bytes("NEW.")));
        END;
        """

    private static func bytes(_ prefix: String) -> String {
        let columns = [
            "session", "revision", "at", "type", "payload", "origin", "cause", "changes", "hidden", "checksum",
        ]
        return "commit_bytes(" + columns.map { prefix + $0 }.joined(separator: ", ") + ")"
    }
}

/// The bytes of commits: numbers in LEB128, texts after their length, a one or a zero before a field that may be
/// missing, and eight bytes of checksum, the lowest first.
private struct CommitBytes {
    struct Malformed: Error {}

    private var rest: ArraySlice<UInt8>

    static func json(_ bytes: [UInt8]) throws -> String {
        var reader = CommitBytes(rest: bytes[...])
        var commits: [[String: Any]] = []
        while !reader.rest.isEmpty { commits.append(try reader.commit()) }
        return String(decoding: try JSONSerialization.data(withJSONObject: commits), as: UTF8.self)
    }

    private mutating func commit() throws -> [String: Any] {
        _ = try number()
        var fields: [String: Any] = ["revision": try number(), "at": try number()]
        for name in ["type", "payload", "origin"] { fields[name] = try text() }
        if try number() == 1 { fields["cause"] = try number() }
        fields["changes"] = try text()
        if try number() == 1 { fields["hidden"] = try text() }
        let checksum = try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        fields["checksum"] = Int(bitPattern: UInt(checksum))
        return fields
    }

    private mutating func number() throws -> Int {
        var (number, shift) = (UInt(0), UInt(0))
        while let byte = rest.popFirst() {
            number |= UInt(byte & 0x7f) << shift
            if byte < 0x80 { return Int(bitPattern: number) }
            shift += 7
        }
        throw Malformed()
    }

    private mutating func text() throws -> String { String(decoding: try take(number()), as: UTF8.self) }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw Malformed() }
        defer { rest.removeFirst(count) }
        return rest.prefix(count)
    }
}
