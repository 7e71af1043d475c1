import JSON
import Locks
import StoreHosting
import Stores
import Testing

/// How many rows were encoded, by all tests of this file, which run one after the other.
private let encodings = Locked(0)

private struct Row: Sendable, Codable, Identifiable, JSONEncodable, Restorable {
    let id: Int
    var text = "row"

    init(id: Int) { self.id = id }

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) { self = try persisted.decode() }

    func encode(into json: inout JSONWriter) {
        encodings.withLock { $0 += 1 }
        json.object {
            $0.member("id", id)
            $0.member("text", text)
        }
    }
}

private struct Sheet: Sendable {
    var table = EntityTable((1...10_000).map { Row(id: $0) })
    @Tracked var rows = (1...1000).map { Row(id: $0) }
    var part = Part()
    var count = 0

    struct Part: Sendable {
        var table = EntityTable((1...1000).map { Row(id: $0) })
        var title = "part"
    }
}

private let sheet = StoreDefinition("sheet", "Large members.", Sheet()) {
    Member("table", \.table)
    Member("rows", \.rows, stamp: \.$rows)
    Member("count", \.count)
    Part("part", \.part) {
        Member("table", \.table)
        Member("title", \.title)
        Action("name", "Names the part.", .text("title", 1...9, example: "new")) { part, title in part.title = title }
    }
    Action("count", "Counts.") { $0.count += 1 }
    Action("write", "Changes a row of the table.", .integer("id", 1...10_000)) { sheet, id in
        sheet.table.update(id) { $0.text = "changed" }
    }
    Action("append", "Adds a row behind the others.") { sheet in sheet.rows.append(Row(id: 1001)) }
}

private struct Pad: Sendable {
    @Tracked var rows = (1...1000).map { Row(id: $0) }

    static let store = StoreDefinition("pad", "A large member, by its storage.", Pad()) {
        Member("rows", \._rows)
        Action("append", "Adds a row behind the others.") { pad in pad.rows.append(Row(id: 1001)) }
        Action("pass", "Changes nothing.") { _ in }
    }
}

@Suite(.serialized) struct ChangeDetectionTests {
    @Test func theStorageOfATrackedMemberIsAMember() throws {
        let store = Pad.store.kind.makeStore()
        store.dispatch("pad/append")
        let before = encodings.withLock { $0 }
        store.dispatch("pad/pass")
        #expect(encodings.withLock { $0 } == before)
        let (revision, snapshot) = store.snapshot()
        let restored = try Pad.store.kind.makeStore(from: snapshot, revision: revision)
        #expect(restored.json == store.json)
        #expect(restored.json.hasSuffix(#"{"id":1001,"text":"row"}]}"#))
    }

    /// The operations of an action's commit, and how many rows were encoded for it.
    private func commit(_ body: JSONValue) -> (changes: [String], encoded: Int) {
        let store = sheet.kind.makeStore()
        var options = DispatchOptions()
        // The answer would show the whole state.
        options.selection = nil
        // The first commit prepares what later ones use.
        store.dispatch(["type": "sheet/count"], options) { _ in }
        let before = encodings.withLock { $0 }
        store.dispatch(body, options) { _ in }
        let encoded = encodings.withLock { $0 } - before
        var changes: [String] = []
        store.inspect { view in
            changes = view.commits.flatMap(\.changes.operations).map { "\($0.kind.rawValue) \($0.path)" }
        }
        return (changes, encoded)
    }

    @Test func anActionElsewhereEncodesNoRow() {
        let counted = commit(["type": "sheet/count"])
        #expect(counted.changes == ["replace /count"])
        #expect(counted.encoded == 0)
        let named = commit(["type": "part/name", "payload": ["title": "other"]])
        #expect(named.changes == ["replace /part/title"])
        #expect(named.encoded == 0)
    }

    @Test func aChangedRowOfATableIsEncodedAlone() {
        let (changes, encoded) = commit(["type": "sheet/write", "payload": ["id": 7000]])
        #expect(changes == ["replace /table/entities/7000"])
        #expect(encoded == 1)
    }

    @Test func aTrackedMemberIsEncodedWhenItHasChanged() {
        let (changes, encoded) = commit(["type": "sheet/append"])
        #expect(changes == ["add /rows/1000"])
        #expect(encoded == 1001)
    }
}
