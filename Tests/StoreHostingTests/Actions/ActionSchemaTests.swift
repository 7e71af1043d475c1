import JSON
import StoreHosting
import Stores
import Testing

@Suite struct ActionSchemaTests {
    private let catalogue = NoteAction.catalogue

    private func refusal(of text: String) throws -> ActionDecodingError? {
        let json = try JSONValue(parsing: text)
        do throws(ActionDecodingError) {
            _ = try catalogue.action(of: json)
            return nil
        } catch {
            return error
        }
    }

    @Test func everyExampleIsAnAction() throws {
        for declaration in catalogue.declarations where declaration.audience == .client {
            let action = try catalogue.action(of: declaration.example)
            #expect(catalogue.describe(action)?.type == declaration.type)
        }
    }

    @Test(arguments: [
        NoteAction.write(text: "a", due: nil, priority: 3), .write(text: "å\n\"", due: "2024-02-29", priority: 5),
        .mark(due: nil, isDone: true), .mark(due: .some(nil), isDone: nil), .mark(due: "2026-12-31", isDone: false),
        .clear,
    ])
    func decodingReversesEncoding(_ action: NoteAction) throws {
        let (type, payload) = try #require(catalogue.describe(action))
        let json: JSONValue = .object(["type": .string(type), "payload": .object(payload)])
        #expect(try catalogue.action(of: json) == action)
        #expect(try catalogue.action(of: JSONValue(parsing: json.description)) == action)
    }

    @Test func eachOfManyTypesIsFound() throws {
        let numbers = ActionSchema<Int>((0..<500).map { ActionDeclaration("number/n\($0)", "Is \($0).", $0) })
        for number in 0..<500 {
            #expect(try numbers.action(of: ["type": .string("number/n\(number)")]) == number)
        }
        for other in ["", "number", "number/n500", "number/n00", "Number/n1", "number/n1 ", "n1/number"] {
            #expect(throws: ActionDecodingError.self) { try numbers.action(of: ["type": .string(other)]) }
        }
    }

    /// As the names of members are.
    @Test func typesAreComparedByCodePoint() throws {
        let schema = ActionSchema<Int>([ActionDeclaration("caf\u{e9}/open", "Opens.", 1)])
        #expect(try schema.action(of: ["type": "caf\u{e9}/open"]) == 1)
        #expect(throws: ActionDecodingError.self) { try schema.action(of: ["type": "cafe\u{301}/open"]) }
    }

    @Test func aSecretIsMasked() throws {
        let (_, payload) = try #require(catalogue.describe(.sign(password: "hunter2")))
        #expect(payload == ["password": "***"])
    }

    @Test func aDefaultStandsForWhatIsLeftOut() throws {
        let json = try JSONValue(parsing: #"{"type":"note/write","payload":{"text":"a"}}"#)
        #expect(try catalogue.action(of: json) == .write(text: "a", due: nil, priority: 3))
        #expect(try catalogue.action(of: ["type": "note/clear"]) == .clear)
        #expect(try catalogue.action(of: ["type": "note/clear", "payload": [:]]) == .clear)
    }

    @Test(arguments: [
        (#"[]"#, [""]), (#"{}"#, ["/type"]), (#"{"type":1}"#, ["/type"]),
        (#"{"type":"note/clear","payload":[]}"#, ["/payload"]),
        (#"{"type":"note/clear","payload":{},"meta":1}"#, ["/meta"]),
        (#"{"type":"note/clear","extra":1}"#, ["/extra"]),
        (#"{"type":"note/clear","payload":{"a":1}}"#, ["/payload/a"]),
        (#"{"type":"note/write"}"#, ["/payload/text"]),
        (#"{"type":"note/write","payload":{"text":"","priority":9}}"#, ["/payload/text", "/payload/priority"]),
        (#"{"type":"note/write","payload":{"text":"a","due":null}}"#, ["/payload/due"]),
        (#"{"type":"note/write","payload":{"text":"a","due":"2026-02-30"}}"#, ["/payload/due"]),
        (#"{"type":"note/write","payload":{"text":"a","priority":1e400}}"#, ["/payload/priority"]),
        (#"{"type":"note/mark","payload":{}}"#, ["/payload"]),
        (#"{"type":"note/mark"}"#, ["/payload"]),
    ])
    func anErrorNamesThePlace(_ text: String, _ pointers: [String]) throws {
        guard case .invalidPayload(let violations) = try refusal(of: text) else {
            Issue.record("not refused as a payload")
            return
        }
        #expect(violations.map(\.pointer.description) == pointers)
        #expect(violations.allSatisfy { !$0.detail.isEmpty })
    }

    @Test(arguments: [
        ("note/wrte", ["note/write"]), ("clear", ["note/clear"]), ("note/", ["note/mark", "note/sign", "note/write"]),
        ("", []), ("book/open", []),
    ])
    func namesTheNearestTypes(_ type: String, _ nearest: [String]) throws {
        guard case .unknownAction(type, let found) = try refusal(of: #"{"type":"\#(type)"}"#) else {
            Issue.record("not refused as unknown")
            return
        }
        #expect(found == nearest)
    }

    @Test func onlyMiddlewareMaySendAnInternalAction() throws {
        guard case .internalAction("note/arrived") = try refusal(of: #"{"type":"note/arrived"}"#) else {
            Issue.record("not refused as internal")
            return
        }
    }
}
