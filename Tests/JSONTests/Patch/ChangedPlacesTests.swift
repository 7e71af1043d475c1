import JSON
import Testing

@Suite("The places that patches have changed")
struct ChangedPlacesTests {
    private func places(_ patch: JSONValue) throws -> ChangedPlaces {
        var places = ChangedPlaces.nothing
        places.add(try JSONPatch(patch))
        return places
    }

    @Test func `both ends of a move have changed, and nothing beside them`() throws {
        let places = try places([
            ["op": "replace", "path": "/tasks/entities/7/title", "value": "Tea"],
            ["op": "move", "from": "/old", "path": "/new"],
        ])
        #expect(Set(places.names ?? []) == ["tasks", "old", "new"])
        #expect(places["tasks"]["entities"].names == ["7"])
        #expect(places["tasks"]["ids"].isEmpty)
        #expect(places["old"] == .all)
        #expect(places["new"]["anything below"] == .all)
        #expect(places["other"].isEmpty)
    }

    @Test func `a value that is new as a whole stays so`() throws {
        let places = try places([
            ["op": "replace", "path": "/a", "value": [:]], ["op": "add", "path": "/a/b", "value": 1],
        ])
        #expect(places["a"] == .all)
        #expect(places["a"].names == nil)
        #expect(try self.places([["op": "replace", "path": "", "value": 1]]) == .all)
        #expect(try self.places([]).isEmpty)
    }

    @Test func `names are told apart by their bytes`() throws {
        let places = try places([["op": "remove", "path": "/\u{E9}"]])
        #expect(!places["\u{E9}"].isEmpty)
        #expect(places["e\u{301}"].isEmpty)
    }
}
