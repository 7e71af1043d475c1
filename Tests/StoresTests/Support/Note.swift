import JSON

struct Note: Identifiable, Sendable, Equatable, JSONEncodable {
    var id: String
    var text: String

    init(_ id: Int, _ text: String = "") {
        self.id = String(id)
        self.text = text
    }

    func encode(into json: inout JSONWriter) {
        json.object { $0.member("text", text) }
    }
}
