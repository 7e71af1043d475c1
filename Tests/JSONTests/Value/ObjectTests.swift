import JSON
import Testing

/// Compares `JSONObject` with a list of members in which every operation is a linear search.
@Suite("Objects against a model")
struct ObjectTests {
    private struct Model {
        var members: [(name: String, value: JSONValue)] = []

        subscript(name: String) -> JSONValue? {
            get { members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }
            set {
                let position = members.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
                switch (position, newValue) {
                case (let position?, let value?): members[position].value = value
                case (let position?, .none): members.remove(at: position)
                case (.none, let value?): members.append((name, value))
                case (.none, .none): break
                }
            }
        }
    }

    /// Few names make an object that stays small; many make one that grows over its index and shrinks again.
    @Test(arguments: [4, 24, 60, 300], 0..<4 as Range<UInt64>)
    func behavesLikeTheModel(nameCount: Int, seed: UInt64) throws {
        var random = RandomSource(seed: seed)
        var (object, model) = (JSONObject(), Model())
        for step in 0..<2000 {
            // Phases of growth and of removal, so that the object passes every size in both directions.
            let isGrowing = step / 400 % 2 == 0
            let number = Int.random(in: 0..<nameCount, using: &random)
            let name = number == 0 ? "" : number.isMultiple(of: 2) ? "\u{E9}\(number)" : "e\u{301}\(number)"
            let isRemoval = Int.random(in: 0..<10, using: &random) < (isGrowing ? 3 : 8)
            let value: JSONValue? = isRemoval ? .none : .some(step.isMultiple(of: 7) ? .null : .integer(step))
            object[name] = value
            model[name] = value
            #expect(object.count == model.members.count)
            #expect(object[name] == model[name])
            if step.isMultiple(of: 50) { try expectSame(object, model) }
        }
        try expectSame(object, model)
    }

    @Test func everyMemberCanBeRemovedInAnyOrder() throws {
        var random = RandomSource(seed: 5)
        var object = JSONObject((0..<500).map { ("name\($0)", .integer($0)) })
        let copy = object
        var model = Model(members: Array(object))
        for name in object.names.shuffled(using: &random) {
            object[name] = .none
            model[name] = .none
            if object.count.isMultiple(of: 25) { try expectSame(object, model) }
        }
        #expect(object.isEmpty && object == [:])
        #expect(copy.count == 500, "a copy does not change")
        object["name7"] = true
        #expect(object.encoded() == Array(#"{"name7":true}"#.utf8))
    }

    private func expectSame(_ object: JSONObject, _ model: Model) throws {
        #expect(object.names.elementsEqual(model.members.map(\.name)) { $0.utf8.elementsEqual($1.utf8) })
        #expect(object.map(\.value) == model.members.map(\.value))
        #expect(object.isEmpty == model.members.isEmpty)
        let rebuilt = JSONObject(model.members.map { ($0.name, $0.value) })
        #expect(object == rebuilt && rebuilt == object)
        #expect(object.hashValue == rebuilt.hashValue)
        #expect(object.encoded() == rebuilt.encoded())
        #expect(try JSONValue(parsing: object.encoded()) == .object(object))
    }
}
