import JSON
import StoreHosting
import Stores
import Testing

/// Actions that are declared by examples of a `Codable` enum.
@Suite struct CodableActionTests {
    private let schema = ActionSchema<HallAction>(
        "hall", examples: HallAction.examples, summaries: ["book": "Books a seat."], internal: ["arrived"],
        secrets: ["sign": ["password"]])

    private func violations(_ text: String) throws -> [JSONSchema.Violation] {
        let json = try JSONValue(parsing: text)
        do throws(ActionDecodingError) {
            _ = try schema.action(of: json)
            return []
        } catch {
            guard case .invalidPayload(let violations) = error else { throw error }
            return violations
        }
    }

    @Test func casesAreDeclaredByTheirExamples() throws {
        #expect(schema.problems == [])
        #expect(
            schema.declarations.map(\.type) == ["hall/book", "hall/clear", "hall/rename", "hall/sign", "hall/arrived"])
        let book = try #require(schema.declarations.first)
        #expect(book.summary == "Books a seat.")
        #expect(book.example == ["type": "hall/book", "payload": ["guest": "Ada", "seat": ["row": 1, "number": 2]]])
        let seat = JSONSchema.object([.required("row", .integer()), .required("number", .integer())])
        let expected = JSONSchema.object(
            [.required("guest", .string()), .required("seat", seat), .optional("note", .string().nullable)])
        #expect(book.payload.encoded() == expected.encoded())
        #expect(schema.declarations[1].example == ["type": "hall/clear"])
        #expect(schema.declarations[2].example == ["type": "hall/rename", "payload": ["_0": "Main"]])
    }

    @Test func decodingReversesEncoding() throws {
        for action in HallAction.examples + [
            .book(guest: "é\n", seat: HallAction.Seat(row: -1, number: .max), note: "n")
        ] {
            let (type, payload) = try #require(schema.describe(action))
            guard type != "hall/arrived", type != "hall/sign" else { continue }
            #expect(try schema.action(of: ["type": .string(type), "payload": .object(payload)]) == action)
        }
        #expect(try schema.action(of: ["type": "hall/clear"]) == .clear)
    }

    @Test func aSecretIsMaskedOnlyInDescriptions() throws {
        #expect(try #require(schema.describe(.sign(password: "hunter2"))).payload == ["password": "***"])
        #expect(try schema.action(of: ["type": "hall/sign", "payload": ["password": "x"]]) == .sign(password: "x"))
        #expect(schema.declarations.first { $0.type == "hall/sign" }?.example["payload"] == ["password": "secret"])
        #expect(schema.declarations.first { $0.type == "hall/sign" }?.secrets == ["password"])
    }

    @Test func anErrorNamesThePlace() throws {
        #expect(try violations(#"{"type":"hall/book","payload":{"guest":"A","seat":{"row":1,"number":2}}}"#) == [])
        #expect(
            try violations(#"{"type":"hall/book","payload":{"guest":1,"seat":{"row":1}}}"#).map(\.pointer.description)
                == ["/payload/guest", "/payload/seat/number"])
        // Valid by the schema, refused by the type.
        let refused = try violations(#"{"type":"hall/book","payload":{"guest":"A","seat":{"row":0,"number":1}}}"#)
        #expect(refused == [.init(pointer: try JSONPointer("/payload/seat"), detail: "is not valid")])
    }

    @Test func onlyClientsActionsAreAccepted() {
        #expect(throws: ActionDecodingError.self) { _ = try schema.action(of: ["type": "hall/arrived"]) }
        #expect(schema.describe(.arrived)?.type == "hall/arrived")
    }

    @Test func aCaseWithoutAnExampleIsAProblem() throws {
        let schema = ActionSchema<HallAction>("hall", examples: [.clear, .rename("a"), .sign(password: "p"), .arrived])
        #expect(
            schema.problems == [
                #"The case "book" of HallAction has no example. Add one to the examples of its schema."#
            ])
        #expect(throws: ActionDecodingError.self) { _ = try schema.action(of: ["type": "hall/book"]) }
        let booking = HallAction.book(guest: "Ada", seat: HallAction.Seat(row: 1, number: 2), note: nil)
        #expect(schema.describe(booking)?.type == "hall/book")
    }

    @Test func aKindHasTheProblemsOfItsActions() {
        #expect(
            StoreKind.store("twice", TwiceReducer.self).problems == [#"The action type "twice/go" is declared twice."#])
    }

    @Test func mistakesAreProblems() {
        let twice = ActionSchema<HallAction>("hall", examples: HallAction.examples + [.rename("other")])
        #expect(twice.problems == [#"The action type "hall/rename" is declared twice."#])
        let unknown = ActionSchema<HallAction>("hall", examples: HallAction.examples, summaries: ["bok": "Books."])
        #expect(
            unknown.problems
                == [#"HallAction has no case "bok". Its cases are arrived, book, clear, rename, sign."#])
        let foreign = ActionSchema<Int>("number", examples: [1])
        #expect(
            foreign.problems
                == [
                    "Example 1 of Int cannot be encoded and decoded again. Int must be an enum with synthesized Codable."
                ])
    }
}

private struct TwiceReducer: HostedReducer {
    struct State: HostedState, StoreValue { var count = 0 }

    enum Action: DeclaredAction, Equatable {
        case go
        static let catalogue = ActionSchema<Action>([
            ActionDeclaration("twice/go", "Goes.", .go), ActionDeclaration("twice/go", "Goes too.", .go),
        ])
    }

    func decide(_ action: Action, in state: State) -> Decision { .accept }

    func reduce(_ state: inout State, _ action: Action) { state.count += 1 }
}

private enum HallAction: Codable, Sendable, Equatable {
    struct Seat: Codable, Sendable, Equatable {
        struct Refusal: Error {}
        var row: Int
        var number: Int

        init(row: Int, number: Int) {
            self.row = row
            self.number = number
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            row = try container.decode(Int.self, forKey: .row)
            number = try container.decode(Int.self, forKey: .number)
            guard row != 0 else { throw Refusal() }
        }
    }

    case book(guest: String, seat: Seat, note: String?)
    case clear
    case rename(String)
    case sign(password: String)
    case arrived

    static let examples: [HallAction] = [
        .book(guest: "Ada", seat: Seat(row: 1, number: 2), note: nil), .clear, .rename("Main"),
        .sign(password: "secret"), .arrived,
    ]
}
