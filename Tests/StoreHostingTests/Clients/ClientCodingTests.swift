import JSON
import StoreHosting
import Stores
import Testing

private struct Item: StoreValue, Identifiable, Equatable {
    var id: Int
    var title = ""
    var isDone: Bool?
}

private struct Shelf: Sendable, Equatable {
    var items = EntityTable<Item>()
    var labels: [String] = []
}

private struct Room: Sendable, Equatable {
    var shelf = Shelf()
    var loose = EntityTable<Item>()
    var secret = "initial"
    var count = 0
}

private let room = StoreDefinition("room", "Items on a shelf and beside it.", Room()) {
    Part("shelf", \.shelf) {
        Member(table: \.items)
        Member("labels", \.labels)
    }
    Member("loose", \.loose)
    Member("secret", \.secret, .hidden)
    Member("count", \.count)
}

@Suite("A state that a client reads")
struct ClientCodingTests {
    private let coding = room.clientCoding

    private func json(_ state: Room) throws -> JSONValue { try JSONValue(parsing: coding.encode(state)) }

    private static func places(_ paths: String...) throws -> ChangedPlaces {
        var places = ChangedPlaces.nothing
        places.add(try JSONPatch(.array(paths.map { ["op": "replace", "path": .string($0), "value": 0] })))
        return places
    }

    private static func shelf(_ items: Item...) -> Room { Room(shelf: Shelf(items: EntityTable(items))) }

    @Test func `only entities that have changed are read anew`() throws {
        var state = Self.shelf(Item(id: 1), Item(id: 2))
        let json = try json(Self.shelf(Item(id: 1, title: "one"), Item(id: 2, title: "two")))
        try coding.update(&state, from: json, changed: Self.places("/shelf/entities/2/title"))
        #expect(state.shelf.items.ordered.map(\.title) == ["", "two"])
        try coding.update(&state, from: json)
        #expect(state.shelf.items.ordered.map(\.title) == ["one", "two"])
    }

    @Test func `a table whose entity is the same keeps its stamp`() throws {
        var state = Self.shelf(Item(id: 1), Item(id: 2))
        let stamp = state.shelf.items.stamp
        try coding.update(&state, from: json(state), changed: Self.places("/shelf/entities/2/title"))
        #expect(state.shelf.items.stamp == stamp)
    }

    @Test func `an entity that came or went without its id is an error`() throws {
        let (one, two) = (Self.shelf(Item(id: 1)), Self.shelf(Item(id: 1), Item(id: 2)))
        for (old, new) in [(one, two), (two, one)] {
            var state = old
            var json = try json(new)
            json["shelf"]?["ids"] = .array(old.shelf.items.ids.map { .integer($0) })
            #expect(throws: RestorationError.self) {
                try coding.update(&state, from: json, changed: Self.places("/shelf/entities/2"))
            }
        }
    }

    @Test func `an entity with another id than its name is an error`() throws {
        var state = Self.shelf(Item(id: 1), Item(id: 2))
        var json = try json(state)
        json["shelf"]?["entities"]?["2"]?["id"] = 1
        let error = #expect(throws: RestorationError.self) {
            try coding.update(&state, from: json, changed: Self.places("/shelf/entities/2/id"))
        }
        #expect(error == RestorationError.unreadable(.state, at: "/shelf/entities/2", "has another id than its name"))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a state that follows patches is the state itself`(seed: UInt64) throws {
        var random = Numbers(state: seed)
        var (server, client) = (Room(), Room())
        client.secret = "kept"
        var old = try json(server)
        for _ in 1...200 {
            for _ in 0...Int.random(in: 0...2, using: &random) { server.change(using: &random) }
            let new = try json(server)
            var changed = ChangedPlaces.nothing
            changed.add(JSONPatch(from: old, to: new))
            try coding.update(&client, from: new, changed: changed)
            try #require(client.shelf == server.shelf)
            try #require(client.loose == server.loose)
            try #require(client.count == server.count)
            old = new
        }
        #expect(client.secret == "kept")
    }
}

/// SplitMix64 (Steele et al., 2014), so that each seed is the same run.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Room {
    fileprivate mutating func change(using random: inout Numbers) {
        let table = Bool.random(using: &random) ? \Room.shelf.items : \Room.loose
        let id = Int.random(in: 1...12, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1, 2: self[keyPath: table].update(id) { $0.title += "x" }
        case 3: self[keyPath: table].update(id) { $0.isDone = $0.isDone == nil ? true : nil }
        case 4: self[keyPath: table].insert(Item(id: id))
        case 5: self[keyPath: table].remove(id)
        case 6: self[keyPath: table].move(id, to: Int.random(in: 0...12, using: &random))
        default:
            count += 1
            shelf.labels.append("label \(count)")
        }
    }
}
