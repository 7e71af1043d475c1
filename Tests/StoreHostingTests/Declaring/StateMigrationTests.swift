import JSON
import StoreHosting
import Stores
import Testing

/// The first version of the state.
private struct OldCinema: Decodable {
    var seats: [String]
    var price: Double
}

/// The second one, whose prices are cents.
private struct SecondCinema: Codable {
    var seats: [String]
    var cents: Int
}

/// The newest version.
private struct Cinema: Sendable, Equatable {
    var sold: [String: Bool] = [:]
    var cents = 900
    var note = ""
    var visits = 0
    var pin = Secret("")
    var code = 0
    var desk = Desk()
}

private struct Desk: Sendable, Equatable {
    var clerk = "nobody"
    var key = Secret("")
}

/// A change of the JSON, which needs no types of the earlier versions.
@Sendable private func namesTheClerk(_ state: inout JSONValue, _ hidden: inout JSONValue) {
    state["desk"]["clerk"] = state["clerk"]
    state["clerk"] = nil
    hidden["visits"] = 1
}

private func cinema(_ migrations: [StoreDefinition<Cinema>.Migration]) -> StoreDefinition<Cinema> {
    StoreDefinition("cinema", "A cinema.", Cinema(), migrations: migrations) {
        Member("sold", \.sold)
        Member("cents", \.cents)
        Member("note", \.note, .hidden)
        Member("visits", \.visits, .hidden)
        Member("pin", \.pin)
        Member("code", \.code, .secret)
        Member("total") { $0.sold.count * $0.cents }
        Part("desk", \.desk) {
            Member("clerk", \.clerk)
            Member("key", \.key)
        }
        Check("cents", "must not be negative") { $0.cents >= 0 }
        Action("visit", "Counts a visit.") { cinema in cinema.visits += 1 }
    }
}

private let typed = cinema([
    .from(OldCinema.self) { old in SecondCinema(seats: old.seats, cents: Int(old.price * 100)) },
    .from(SecondCinema.self) { old in
        Cinema(sold: Dictionary(uniqueKeysWithValues: old.seats.map { ($0, true) }), cents: old.cents)
    },
])

/// Recognizes what it has sealed.
private final class MarkingSealer: SecretSealer {
    func seal(_ clear: [UInt8]) -> [UInt8]? { Array("sealed:".utf8) + clear.reversed() }

    func open(_ sealed: [UInt8]) -> [UInt8]? {
        sealed.starts(with: "sealed:".utf8) ? sealed.dropFirst(7).reversed() : nil
    }
}

@Suite struct StateMigrationTests {
    private static let sealer = MarkingSealer()

    private func snapshot(_ state: String, _ hidden: String? = nil) -> StateSnapshot {
        StateSnapshot(json: Array(state.utf8), privateState: hidden.map { Array($0.utf8) })
    }

    /// The state and the private state after a migration.
    private func migrated(
        _ definition: StoreDefinition<Cinema>, _ persisted: StateSnapshot
    ) throws -> (state: JSONValue, hidden: JSONValue) {
        let store = try definition.kind.makeStore(sealer: Self.sealer, from: persisted, revision: 5)
        store.resume()
        #expect(store.revision == 6)
        let after = store.snapshot().state
        return (try JSONValue(parsing: after.json), try JSONValue(parsing: try #require(after.privateState)))
    }

    @Test func eachVersionIsMigratedToTheNext() throws {
        #expect(typed.kind.schema == 3 && typed.kind.problems.isEmpty)
        let old = snapshot(#"{"seats":["A1"],"price":9.5}"#)
        #expect(try migrated(typed, old).state["sold"] == ["A1": true])
        #expect(try migrated(typed, old).state["cents"] == 950)
        let second = snapshot(#"{"seats":["A1","A2"],"cents":800}"#, #"{"$schema":2}"#)
        let (state, hidden) = try migrated(typed, second)
        #expect(state == ["sold": ["A1": true, "A2": true], "cents": 800, "total": 1600, "desk": ["clerk": "nobody"]])
        #expect(hidden["$schema"] == 3 && hidden["visits"] == 0)
    }

    @Test func aMigrationToTheNewestVersionSkipsTheLaterOnes() throws {
        let definition = cinema([
            .from(OldCinema.self) { old in Cinema(cents: Int(old.price)) },
            .raw { _, _ throws(RestorationError) in throw .notRestorable },
        ])
        #expect(try migrated(definition, snapshot(#"{"seats":[],"price":7}"#)).state["cents"] == 7)
    }

    @Test func theJSONCanBeChangedToo() throws {
        let definition = cinema([.raw(namesTheClerk)])
        let (state, hidden) = try migrated(definition, snapshot(#"{"sold":{},"cents":5,"clerk":"Ada"}"#))
        #expect(state["desk"]["clerk"] == "Ada" && state["clerk"] == nil)
        #expect(hidden["visits"] == 1)
    }

    @Test func hiddenMembersAreAmongTheOthers() throws {
        struct Old: Decodable {
            struct Desk: Decodable {
                var clerk: String
                var drawer: Int
            }

            var cents: Int
            var note: String
            var desk: Desk
        }
        struct Next: Codable {
            var cents: Int
            var note: String
            var visits: Int
        }
        let old = snapshot(#"{"cents":1,"desk":{"clerk":"Ada"}}"#, #"{"note":"mine","desk":{"drawer":4}}"#)
        for definition in [
            cinema([
                .from(Old.self) { Next(cents: $0.cents, note: $0.note + "!", visits: $0.desk.drawer) },
                .raw { state, _ in state["cents"] = 2 },
                .from(Next.self) { $0 },
            ]),
            cinema([.from(Old.self) { Cinema(cents: 2, note: $0.note + "!", visits: $0.desk.drawer) }]),
        ] {
            let (state, hidden) = try migrated(definition, old)
            #expect(state["cents"] == 2 && state["note"] == nil && state["visits"] == nil)
            #expect(hidden["note"] == "mine!" && hidden["visits"] == 4)
        }
    }

    @Test func secretsKeepTheirValues() throws {
        var first = Cinema()
        first.pin = Secret("1234")
        first.code = 77
        first.desk.key = Secret("brass")
        let kind = StoreDefinition("cinema", "A cinema.", first) {
            Member("cents", \.cents)
            Member("pin", \.pin)
            Member("code", \.code, .secret)
            Part("desk", \.desk) { Member("key", \.key) }
            Action("visit", "Counts a visit.") { cinema in cinema.visits += 1 }
        }.kind
        let store = kind.makeStore(sealer: Self.sealer)
        let before = store.snapshot().state
        let sealed = try JSONValue(parsing: try #require(before.privateState))
        #expect(sealed["pin"]?.asString?.contains("1234") == false)
        struct Old: Decodable {
            var cents: Int
            var pin: String?
        }
        for migration in [
            StoreDefinition<Cinema>.Migration.from(Old.self) { old in Cinema(cents: old.pin == nil ? 3 : 4) },
            .from(Old.self) { old in ["cents": old.pin == nil ? 3 : 4] },
        ] {
            let (state, hidden) = try migrated(cinema([migration]), before)
            #expect(state["cents"] == 3, "a secret is not shown to a migration")
            #expect(hidden["pin"] == sealed["pin"] && hidden["code"] == sealed["code"])
            #expect(hidden["desk"]["key"] == sealed["desk"]["key"])
        }
    }

    @Test func theMemberThatDoesNotFitIsNamed() throws {
        func reason(_ state: String, _ hidden: String?, _ definition: StoreDefinition<Cinema>) -> String? {
            let error = #expect(throws: RestorationError.self) {
                try definition.kind.makeStore(from: snapshot(state, hidden), revision: 1)
            }
            return error?.description
        }
        #expect(reason(#"{"seats":"A1","price":1}"#, nil, typed) == "in the persisted state, /seats must be an array")
        #expect(reason(#"{"seats":[]}"#, nil, typed) == "in the persisted state, /price is missing")
        #expect(
            reason(#"{"seats":[],"price":-1}"#, nil, typed) == "in the persisted state, /cents must not be negative")
        struct Old: Decodable { var note: String }
        let definition = cinema([.from(Old.self) { Cinema(note: $0.note) }])
        #expect(reason("{}", #"{"note":1}"#, definition) == "in the persisted private state, /note must be a string")
        let refusing = cinema([
            .from(Old.self) { _ throws(RestorationError) -> Cinema in
                throw .unreadable(.state, at: "", "has no hall")
            }
        ])
        #expect(reason(#"{"note":""}"#, nil, refusing) == "in the persisted state, the whole has no hall")
    }
}
