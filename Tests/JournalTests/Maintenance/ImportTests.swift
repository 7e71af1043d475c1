import Foundation
import JSON
import Journal
import StoreHosting
import Stores
import Testing

extension Parcel {
    /// An exported session with deleted commits, whose log is long enough to have snapshots.
    static func document(_ commits: Int = 100) throws -> [UInt8] {
        let base: JSONValue = ["revision": 7, "state": ["weight": 7]]
        let log = (8..<(8 + commits)).map { revision -> JSONValue in
            [
                "revision": .integer(revision), "at": .integer(Step.moment), "type": "weigh", "payload": ["by": 1],
                "origin": revision.isMultiple(of: 3) ? "effect" : "client", "cause": .integer(revision - 1),
                "changes": [["op": "replace", "path": "/weight", "value": .integer(revision)]],
            ]
        }
        let document: JSONValue = [
            "format": "storehouse-session", "version": 1, "id": "parcel", "store": "parcel", "schema": 1,
            "createdAt": .integer(Step.moment), "lastActiveAt": .integer(Step.moment + 1), "forkedFrom": 3,
            "history": "abc.1", "initial": ["state": ["weight": 0]], "base": base, "commits": .array(log),
        ]
        return document.encoded()
    }

    /// Why a server could not use a state.
    static func objection(_ header: SessionHeader, _ revision: Int, _ state: StateSnapshot) -> String? {
        guard header.kind == "parcel" else { return "there is no such kind" }
        do {
            _ = try first.makeStore(from: state, revision: revision)
            return nil
        } catch {
            return "\(error)"
        }
    }
}

/// An exported session without the name of its history, which an import changes.
func withoutHistory(_ document: [UInt8]) throws -> JSONObject {
    var object = try #require(try JSONValue(parsing: document).asObject)
    object["history"] = nil
    return object
}

@Suite("The import of a session")
struct ImportTests {
    /// Imports a document into a new file.
    ///
    /// - Returns: whether it was accepted. Then a server can use the session, and else there is no file.
    private func accepts(_ document: [UInt8], _ comment: Comment) async throws -> Bool {
        let file = try JournalFile()
        let id: String
        do {
            id = try SQLiteStorage.insert(document, into: file.path, as: nil, objection: Parcel.objection)
        } catch {
            #expect(!FileManager.default.fileExists(atPath: file.path), comment)
            return false
        }
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty, comment)
        let journal = try file.open()
        let found = try await journal.session(id)
        let store = try Parcel.store(Parcel.first, found)
        store.weigh()
        #expect(await found.journal.awaitDurable() == nil, comment)
        let revision = try await journal.session(id).summary.revision
        #expect(revision == found.summary.revision + 1, comment)
        for revision in [0, 7, 50, revision] { _ = try await found.journal.replayBase(for: revision) }
        await journal.closed()
        #expect(try SQLiteStorage.verify(file.path).problems.isEmpty, comment)
        return true
    }

    @Test("accepts a document as export makes it")
    func acceptsDocument() async throws {
        for commits in [0, 1, 100, 600] { #expect(try await accepts(Parcel.document(commits), "\(commits)")) }
    }

    @Test(
        "refuses unknown members, numbers out of range, names that nobody can ask for, and states that no server can use",
        arguments: [
            (#""revision":7"#, #""revision":-9223372036854775808"#), (#""revision":7"#, #""revision":0"#),
            (#""revision":7"#, #""revision":9007199254740991"#),
            (#""revision":8"#, #""revision":-9223372036854775808"#),
            (#""revision":8"#, #""revision":9"#), (#""schema":1"#, #""schema":0"#),
            (#""schema":1"#, #""schema":9223372036854775807"#), (#""createdAt":1"#, #""createdAt":-1"#),
            (#""lastActiveAt":1"#, #""lastActiveAt":9223372036854775807"#),
            (#""lastActiveAt":1"#, #""lastActiveAt":"1"#),
            (#""forkedFrom":3"#, #""forkedFrom":"3""#), (#""forkedFrom":3"#, #""forkedFrom":-1"#),
            (#""cause":7"#, #""cause":8"#), (#""cause":7"#, #""cause":-1"#), (#""cause":7"#, #""cause":1.5"#),
            (#""at":1"#, #""at":-1"#),
            (#""parcel","schema"#, #""x","schema"#),
            (#""parcel","store"#, #""","store"#), (#""type":"weigh""#, #""type":"""#), (#""client""#, #""nobody""#),
            (#""replace""#, #""copy""#), (#""/weight""#, #""/none/none""#), (#""value":107"#, #""value":"x""#),
            (#"{"weight":7}"#, #"{"weight":null}"#), (#"{"weight":0}"#, #""#),
            (#""payload":{"by":1}"#, #""payload":1"#),
            (#""hidden":{}"#, #""hidden":1"#),
            // A later version may have written these.
            (#""version":1"#, #""version":1,"members":[]"#), (#""initial":{"#, #""initial":{"members":[],"#),
            (#""base":{"#, #""base":{"members":[],"#), (#""type":"weigh""#, #""type":"weigh","actor":{}"#),
        ])
    func refusesDocument(part: String, replacement: String) async throws {
        var text = String(decoding: try Parcel.document(), as: UTF8.self)
        if part.contains("hidden") { text = text.replacing(#""base":{"#, with: #""base":{"hidden":{},"#) }
        #expect(text.contains(part))
        let changed = text.replacing(part, with: replacement, maxReplacements: 1)
        #expect(try await !accepts(Array(changed.utf8), "\(replacement)"))
    }

    @Test("takes the private state of revision 0 for the oldest one if that names none")
    func unchangedPrivateState() throws {
        let text = String(decoding: try Parcel.document(), as: UTF8.self)
        let document = text.replacing(#""initial":{"#, with: #""initial":{"hidden":{"seed":1},"#)
        let file = try JournalFile()
        var states: [StateSnapshot] = []
        _ = try SQLiteStorage.insert(
            Array(document.utf8), into: file.path, as: nil,
            objection: { _, _, state in
                states.append(state)
                return nil
            })
        #expect(states.count == 2 && states.allSatisfy { $0.privateState == Array(#"{"seed":1}"#.utf8) })
    }

    @Test("accepts nothing that a server could not use, whatever is changed", arguments: 1...4 as ClosedRange<UInt64>)
    func survivesMutations(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let document = try Parcel.document(12)
        let json = try JSONValue(parsing: document)
        var accepted = 0
        for round in 0..<150 {
            let changed: [UInt8]
            if round.isMultiple(of: 3) {
                var bytes = document
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...127, using: &random)
                }
                changed = bytes
            } else {
                changed = Self.mutated(json, &random).encoded()
            }
            let comment = Comment(rawValue: "seed \(seed), round \(round): \(String(decoding: changed, as: UTF8.self))")
            if try await accepts(changed, comment) { accepted += 1 }
        }
        // Some changes are harmless, such as another payload.
        #expect(accepted > 0 && accepted < 150)
    }

    private static let values: [JSONValue] = [
        .null, true, 0, -1, 1, 7, .integer(.min), .integer(.max), .integer(1 << 53), .integer(1 << 53 - 1), "", "x", [],
        [:],
        "\u{0}", .string(String(repeating: "x", count: 300)), ["weight": 1], [["op": "remove", "path": ""]],
    ]

    /// Changes one value somewhere.
    private static func mutated(_ json: JSONValue, _ random: inout SeededRandom) -> JSONValue {
        switch json {
        case .object(var members) where !members.isEmpty && !Bool.random(using: &random, oneIn: 6):
            guard let (name, value) = Array(members).randomElement(using: &random) else { return json }
            members[name] = Bool.random(using: &random, oneIn: 8) ? nil : mutated(value, &random)
            return .object(members)
        case .array(var elements) where !elements.isEmpty && !Bool.random(using: &random, oneIn: 6):
            let index = Int.random(in: elements.indices, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: elements.remove(at: index)
            case 1: elements.insert(elements[index], at: index)
            case 2: elements.swapAt(index, elements.startIndex)
            default: elements[index] = mutated(elements[index], &random)
            }
            return .array(elements)
        default: return values.randomElement(using: &random) ?? .null
        }
    }
}

extension Bool {
    fileprivate static func random(using random: inout SeededRandom, oneIn count: Int) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }
}
