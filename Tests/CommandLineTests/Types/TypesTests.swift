import CommandLine
import JSON
import ProcessTesting
import Testing

@Suite struct TypesTests {
    private static func schema(_ text: StaticString) -> PublishedSchema {
        PublishedSchema((try? JSONValue(parsing: "\(text)")) ?? nil)
    }

    private static let small = TypedKind(
        name: "hall",
        actions: [
            .init(
                type: "seats/book", summary: "Books a */ seat.",
                payload: schema(
                    """
                    {"type":"object","properties":{"guest":{"type":"string","description":"The name."},"row-number":
                    {"type":["integer","null"]}},"required":["guest"],"additionalProperties":false}
                    """)),
            .init(
                type: "seats/clear", summary: "Frees all.",
                payload: schema(#"{"type":"object","properties":{},"additionalProperties":false}"#)),
        ], state: nil)

    /// With reasons, whose names no language likes, and a version.
    private static let strict = TypedKind(
        name: "strict-hall", version: "3.k2f9",
        actions: [
            .init(
                type: "seats/book", summary: "Books a seat.", reasons: ["sold-out", "self", "\"q\""],
                payload: small.actions[0].payload),
            .init(type: "seats/clear", summary: "Frees all.", payload: small.actions[1].payload),
            .init(
                type: "seats/leave", summary: "Frees one.", reasons: ["sold-out", "sold out", "hashValue"],
                payload: small.actions[1].payload),
            .init(type: "reasons", summary: "", payload: small.actions[1].payload),
            .init(type: "reason", summary: "", payload: small.actions[0].payload),
            .init(type: "seats/book-reason", summary: "", payload: small.actions[1].payload),
        ],
        selectors: [.init(name: "free-seats", summary: "The free seats."), .init(name: "default", summary: "")],
        state: schema(#"{"type":"object","additionalProperties":false,"properties":{"version":{"type":"string"}}}"#))

    /// Every shape, and names that no language likes.
    private static let large = TypedKind(
        name: "every-thing",
        actions: small.actions + [
            .init(
                type: "string/default", summary: "",
                payload: schema(
                    """
                    {"type":"object","additionalProperties":false,"required":["self","in","hashValue","a b","nullable"],
                     "properties":{
                       "self":{"type":"boolean"},"in":{"type":"number"},"hashValue":{"type":"integer"},"a b":{},
                       "1st":{"type":"string","enum":["red","dark-red","1","","self","default","\\"q\\\\"]},
                       "nullable":{"type":["string","null"]},"maybe":{"type":["string","null"]},
                       "choice":{"type":["string","null"],"enum":["a",null]},
                       "list":{"type":"array","items":{"type":["object","null"],"additionalProperties":false,"properties":
                         {"x":{"type":"integer"},"list":{"type":"array","items":{"type":"array","items":{"type":"string"}}}}}},
                       "labels":{"type":"object","additionalProperties":{"type":["integer","null"]}},
                       "anything":{"type":"object"},"empty":{"type":"object","properties":{},"additionalProperties":false},
                       "String":{"type":"object","additionalProperties":false,"properties":{"String":{"type":"string"}}}}}
                    """)),
            .init(type: "string default", summary: "", payload: schema("{}")),
            .init(
                type: "Int", summary: "",
                payload: schema(#"{"type":"object","additionalProperties":{"type":"number"}}"#)),
        ],
        state: schema(
            """
            {"type":"object","additionalProperties":false,"required":["guests","error"],"properties":{
              "guests":{"type":"array","items":{"type":"string"}},"error":{"type":["string","null"]},
              "user":{"type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"type":"string"}}}}}
            """))

    @Test func theTypeScriptOfAKind() {
        #expect(
            TypeLanguage.typeScript.source(of: Self.small) == #"""
                // The types of the store kind "hall", made by 'types --typescript'. Make them again after an upgrade.

                /** An action that clients may send. */
                export type HallAction =
                  | SeatsBook
                  | SeatsClear;

                /** The state. */
                export type HallState = unknown;

                /** Books a *\/ seat. */
                export interface SeatsBook {
                  type: "seats/book";
                  payload: {
                    /** The name. */
                    guest: string;
                    "row-number"?: number | null;
                  };
                }

                /** Frees all. */
                export interface SeatsClear {
                  type: "seats/clear";
                  payload?: Record<string, never>;
                }
                """#)
    }

    @Test func theSwiftOfAKind() {
        let source = TypeLanguage.swift.source(of: Self.small)
        for part in [
            "public enum Hall {\n",
            "        case seatsBook(SeatsBook)\n        /// Frees all.\n        case seatsClear\n",
            #"            case "seats/book": self = .seatsBook(try action.decode(SeatsBook.self, forKey: .payload))"#,
            #"            case "seats/clear": self = .seatsClear"#,
            "            /// The name.\n            public var guest: String\n",
            "            public var rowNumber: Nullable<Int>?\n",
            "            public init(guest: String, rowNumber: Nullable<Int>? = nil) {\n",
            #"                case rowNumber = "row-number""#, "    public typealias State = JSON\n",
        ] { #expect(source.contains(part), "\(part)\nis not in\n\(source)") }
    }

    @Test func reasonsAndTheVersionAreLiterals() {
        let typeScript = TypeLanguage.typeScript.source(of: Self.strict)
        for part in [
            "\n\n/** The version of the kind, as GET /stores shows it. */\nexport const strictHallVersion = \"3.k2f9\";\n",
            """
            /** Why an action is rejected. A server can have other reasons. */
            export type StrictHallReason =
              | "sold-out"
              | "self"
              | "\\"q\\""
              | "sold out"
              | "hashValue";

            """,
            """

            /** Why seats/book is rejected. */
            export type SeatsBookReason2 =
              | "sold-out"
              | "self"
              | "\\"q\\"";

            """, "export type SeatsLeaveReason =\n",
        ] { #expect(typeScript.contains(part), "\(part)\nis not in\n\(typeScript)") }
        #expect(!typeScript.contains("SeatsClearReason"))
        let swift = TypeLanguage.swift.source(of: Self.strict)
        for part in [
            "    public static let version = \"3.k2f9\"\n",
            "    public enum Reason: String, Codable, Hashable, Sendable, CaseIterable {\n        case soldOut = \"sold-out\"\n",
            "            case .seatsClear: []\n",
            "            case .seatsLeave: [.soldOut, .soldOut2, .hashValue2]\n",
        ] { #expect(swift.contains(part), "\(part)\nis not in\n\(swift)") }
    }

    @Test func aKindWithoutReasonsHasNoTypeOfThem() {
        for language in TypeLanguage.allCases {
            let source = language.source(of: Self.small)
            #expect(!source.contains("Reason") && !source.contains("reasons:") && !source.contains("enum Selector"))
            #expect(!source.contains("static let version") && !source.contains("hallVersion"))
        }
    }

    @Test func theSwiftHasSelectorsProblemsAndEvents() {
        let source = TypeLanguage.swift.source(of: Self.strict)
        for part in [
            "    public enum Selector: String, Codable, Hashable, Sendable, CaseIterable {\n        /// The free seats.\n",
            "        case freeSeats = \"free-seats\"\n        case `default` = \"default\"\n",
            "        case actionRejected = \"action-rejected\"\n", "    public struct Answer<",
            "    public struct Problem:", "    public struct ReadyEvent:",
        ] { #expect(source.contains(part), "\(part)\nis not in\n\(source)") }
    }

    @Test func aKindWithoutActionsHasTypesToo() {
        let kind = TypedKind(name: "quiet", actions: [], state: Self.schema(#"{"type":"integer"}"#))
        #expect(TypeLanguage.typeScript.source(of: kind).contains("export type QuietAction = never;"))
        #expect(TypeLanguage.typeScript.source(of: kind).contains("export type QuietState = number;"))
        #expect(TypeLanguage.swift.source(of: kind).contains("public typealias Action = Never\n"))
        #expect(TypeLanguage.swift.source(of: kind).contains("public typealias State = Int\n"))
    }

    /// An app that reads all that a server sends.
    private static let use = """
        import Foundation

        func read(_ name: String, _ data: Data) throws -> Int? {
            let decoder = JSONDecoder()
            switch StrictHall.EventName(rawValue: name) {
            case .state: return try decoder.decode(StrictHall.StateEvent<StrictHall.State>.self, from: data).revision
            case .patch: return try decoder.decode(StrictHall.PatchEvent.self, from: data).patch.count
            case .effect: return try decoder.decode(StrictHall.EffectEvent.self, from: data).attempt
            case .ready: return try decoder.decode(StrictHall.ReadyEvent.self, from: data).maxBody
            case .closed: return try decoder.decode(StrictHall.ClosedEvent.self, from: data).reason.count
            default: return nil
            }
        }

        func answer(_ status: Int, _ data: Data) throws -> StrictHall.State {
            guard status == 200 else {
                let problem = try JSONDecoder().decode(StrictHall.Problem.self, from: data)
                guard problem.knownCode == .actionRejected, problem.reason.flatMap(StrictHall.Reason.init) == .soldOut
                else { throw problem }
                return StrictHall.State(version: StrictHall.Selector.freeSeats.rawValue)
            }
            return try JSONDecoder().decode(StrictHall.Answer<StrictHall.State>.self, from: data).state
        }
        """

    @Test(.enabled(if: Tool("swiftc") != nil)) func theSwiftCompiles() async throws {
        let folder = try TemporaryFolder()
        let kinds = [Self.small, Self.large, Self.strict, TypedKind(name: "quiet", actions: [], state: nil)]
        // In one module, as an app would have them.
        var files = try kinds.map { try folder.write(TypeLanguage.swift.source(of: $0), to: $0.name + ".swift") }
        files.append(try folder.write(Self.use, to: "Use.swift"))
        let swiftc = try #require(Tool("swiftc"))
        let arguments = ["-typecheck", "-swift-version", "6", "-warnings-as-errors", "-parse-as-library"]
        let result = try await swiftc.run(arguments + ["-module-cache-path", folder.path] + files)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(.enabled(if: Tool("tsc") != nil)) func theTypeScriptCompiles() async throws {
        let folder = try TemporaryFolder()
        let use = """

            const book: HallAction = { type: "seats/book", payload: { guest: "Ada", "row-number": null } };
            const clear: HallAction = { type: "seats/clear" };
            // @ts-expect-error: a member is missing
            const wrong: HallAction = { type: "seats/book", payload: {} };
            export const all = [book, clear, wrong];
            """
        let files = [
            try folder.write(TypeLanguage.typeScript.source(of: Self.small) + use, to: "hall.ts"),
            try folder.write(TypeLanguage.typeScript.source(of: Self.large), to: "large.ts"),
            try folder.write(TypeLanguage.typeScript.source(of: Self.strict), to: "strict.ts"),
        ]
        let result = try await #require(Tool("tsc")).run(["--strict", "--noEmit"] + files)
        #expect(result.status == 0, "\(result.errors)")
    }
}
