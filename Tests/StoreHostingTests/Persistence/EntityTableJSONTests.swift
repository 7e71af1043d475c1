import JSON
import StoreHosting
import Stores
import Testing

@Suite struct EntityTableJSONTests {
    private func text(_ value: some JSONEncodable) -> String { String(decoding: value.encoded(), as: UTF8.self) }

    @Test func writesEntitiesAndIDsInTheTablesOrder() {
        #expect(text(EntityTable<Note>()) == #"{"entities":{},"ids":[]}"#)
        var table = EntityTable([Note(1, "a"), Note(2, "b")])
        table.move("2", to: 0)
        #expect(text(table) == #"{"entities":{"2":{"text":"b"},"1":{"text":"a"}},"ids":["2","1"]}"#)
        #expect(text(EntityTable([Number(id: 7)])) == #"{"entities":{"7":7},"ids":[7]}"#)
    }

    @Test func standsBesideOtherMembers() {
        #expect(text(Shelf()) == #"{"name":"new","entities":{"1":{"text":"a"}},"ids":["1"],"isOpen":true}"#)
    }
}

private struct Number: Identifiable, Sendable, JSONEncodable {
    let id: Int
    func encode(into json: inout JSONWriter) { json.integer(id) }
}

private struct Shelf: JSONEncodable {
    func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("name", "new")
            EntityTable([Note(1, "a")]).encodeMembers(into: &json)
            json.member("isOpen", true)
        }
    }
}

private struct Note: Identifiable, Sendable, JSONEncodable {
    let id: String
    let text: String

    init(_ id: Int, _ text: String) {
        self.id = String(id)
        self.text = text
    }

    func encode(into json: inout JSONWriter) {
        json.object { $0.member("text", text) }
    }
}
