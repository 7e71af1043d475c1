import JSON
import StoreHosting
import Stores
import Testing

private struct Word: Sendable, Codable, Identifiable, JSONEncodable, Restorable {
    let id: Int
    var text: String

    init(id: Int, text: String) { (self.id, self.text) = (id, text) }

    init(restoring persisted: JSONValue.Persisted) throws(RestorationError) { self = try persisted.decode() }

    func encode(into json: inout JSONWriter) {
        json.object {
            $0.member("id", id)
            $0.member("text", text)
        }
    }
}

private struct Page: Sendable {
    var words = EntityTable<Word>([])
    @Tracked var notes: [String] = []
    var title = ""
    var size = 0
    var lines: [Int] = []
}

private let page = StoreDefinition("page", "Members of any length.", Page()) {
    Member("title", \.title)
    Member("words", \.words)
    Member("notes", \.notes, stamp: \.$notes)
    Member("size", \.size)
    Member("lines", \.lines)
    Action("title", "Sets the title.", .text("text", 0...99, example: "new")) { $0.title = $1 }
    Action("size", "Sets the size.", .integer("to", 0...1_000_000)) { $0.size = $1 }
    Action("notes", "Sets the number of notes.", .integer("count", 0...200)) {
        $0.notes = (0..<$1).map { "note \($0)" }
    }
    Action("words", "Sets the number of words.", .integer("count", 0...200)) {
        $0.words = EntityTable((0..<$1).map { Word(id: $0, text: "word") })
    }
    Action("all", "Changes every member.", .integer("to", 0...1_000_000)) { page, number in
        page.title = "title \(number)"
        page.size = number
        page.lines = [number, number]
        page.notes = ["\(number)"]
    }
}

/// The text of a state is kept up to date member by member. It must be the same as that of a state that is encoded at once.
@Suite struct StateTextTests {
    @Test func isThatOfTheWholeStateAfterEachCommit() throws {
        let kind = page.kind
        let store = kind.makeStore()
        // Members become longer and shorter, and long ones leave the text and come back.
        let actions: [(String, JSONValue)] = [
            ("size", ["to": 7]), ("size", ["to": 8]), ("size", ["to": 1000]), ("title", ["text": "a \"title\""]),
            ("notes", ["count": 200]), ("size", ["to": 0]), ("words", ["count": 3]), ("notes", ["count": 1]),
            ("words", ["count": 200]), ("all", ["to": 12]), ("all", ["to": 13]), ("words", ["count": 0]),
            ("notes", ["count": 0]), ("title", ["text": ""]), ("all", ["to": 123_456]),
        ]
        for (name, payload) in actions {
            store.dispatch(["type": .string("page/" + name), "payload": payload], DispatchOptions()) {
                #expect($0.isCommitted)
            }
            let (revision, snapshot) = store.snapshot()
            let restored = try kind.makeStore(from: snapshot, revision: revision)
            let (text, other) = (store.read().json, restored.read().json)
            #expect(String(decoding: text, as: UTF8.self) == String(decoding: other, as: UTF8.self))
            #expect(try JSONValue(parsing: text)[payloadMember(of: name)] != nil)
        }
    }

    private func payloadMember(of action: String) -> String { action == "all" ? "title" : action }
}
