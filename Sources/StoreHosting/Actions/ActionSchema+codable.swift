import JSON

extension ActionSchema where Action: Codable {
    /// Declares the cases of an enum with synthesized `Codable`, by one example of each.
    ///
    ///     enum SeatsAction: Codable, DeclaredAction {
    ///         case book(guest: String)
    ///         case clear
    ///
    ///         static let catalogue = ActionSchema<SeatsAction>(
    ///             "seats", examples: [.book(guest: "Ada"), .clear],
    ///             summaries: ["book": "Books a seat.", "clear": "Frees all seats."])
    ///     }
    ///
    /// An action is sent as `{"type":"seats/book","payload":{"guest":"Ada"}}`: its type is the prefix and the name of the
    /// case, and the members of its payload are the labels of the associated values. A value without a label is the
    /// member `_0`, `_1` and so on by its position, as in Swift's `Codable`; better give it a label. The payload's schema
    /// is derived from the types; see `JSONSchema.init(of:example:)`. A value that is nil is left out.
    ///
    /// A case without an example cannot be sent: its type is unknown. It is a problem, and so are two examples of one
    /// case, a name that is no case, and an example that does not survive encoding and decoding; see ``problems``.
    ///
    /// - Parameters:
    ///   - prefix: the part of the types before the slash, usually the name of the kind.
    ///   - examples: one action of each case, in the order of listings.
    ///   - summaries: the effect of each case and when it is rejected, in a sentence, by the case's name.
    ///   - internal: the names of the cases that clients may not send.
    ///   - secrets: by the case's name, the members of its payload that must never be shown or persisted in clear.
    package init(
        _ prefix: String, examples: [Action], summaries: [String: String] = [:], internal: Set<String> = [],
        secrets: [String: [String]] = [:]
    ) {
        let cases = CodableCases<Action>(prefix, examples, secrets)
        let named = Array(summaries.keys) + Array(`internal`) + Array(secrets.keys)
        let declarations = cases.examples.map { example in
            ActionDeclaration<Action>(
                prefix + "/" + example.name, summaries[example.name] ?? "",
                audience: `internal`.contains(example.name) ? .internal : .client,
                payload: cases.payloads[example.name] ?? .any, example: example.payload,
                secrets: secrets[example.name] ?? [],
                read: { payload throws(PayloadMismatch) in try CodableCases.decode(example.name, payload) },
                write: { action in cases.coding.encode(action).flatMap { $0.name == example.name ? $0.payload : nil } })
        }
        self.init(declarations, problems: cases.problems(named: named)) { [coding = cases.coding] action in
            coding.encode(action).map { (prefix + "/" + $0.name, $0.payload) }
        }
    }
}

/// The examples of an enum's cases, and what can be derived from them.
private struct CodableCases<Action: Codable & Sendable>: Sendable {
    /// One case with its associated values.
    typealias Example = (name: String, payload: JSONObject)

    let examples: [Example]
    let payloads: [String: JSONSchema]
    let coding: Coding
    private let type: String
    private let missing: [String]
    private let failed: [Int]

    init(_ prefix: String, _ examples: [Action], _ secrets: [String: [String]]) {
        type = String(describing: Action.self)
        let plain = Coding(secrets: [:])
        let encoded = examples.map(plain.encode)
        let decodable = encoded.map { example in
            guard let example, let action = try? Self.decode(example.name, example.payload) else { return false }
            return plain.encode(action).map { $0 == example } ?? false
        }
        failed = decodable.indices.filter { !decodable[$0] }
        self.examples = encoded.compactMap { $0 }
        let (names, payloads) = JSONSchema.cases(
            of: Action.self, examples: self.examples.map { .object([$0.name: .object($0.payload)]) })
        self.payloads = payloads
        missing = (names ?? []).filter { name in !encoded.contains { $0?.name == name } }
        coding = Coding(secrets: secrets)
    }

    static func decode(_ name: String, _ payload: JSONObject) throws(PayloadMismatch) -> Action {
        do throws(JSONDecodingError) {
            // Not a literal, which would make an array of pairs first.
            var members = JSONObject()
            members[name] = .object(payload)
            return try JSONValue.object(members).decode(Action.self)
        } catch {
            throw PayloadMismatch(
                JSONDecodingError(
                    pointer: JSONPointer(tokens: Array(error.pointer.tokens.dropFirst())), detail: error.detail))
        }
    }

    /// - Parameter names: names that must be cases.
    func problems(named names: [String]) -> [String] {
        let known = Set(examples.map(\.name) + missing)
        return failed.map {
            "Example \($0 + 1) of \(type) cannot be encoded and decoded again. \(type) must be an enum with synthesized Codable."
        }
            + missing.map { "The case \"\($0)\" of \(type) has no example. Add one to the examples of its schema." }
            + Set(names).subtracting(known).sorted().map {
                "\(type) has no case \"\($0)\". Its cases are \(known.sorted().joined(separator: ", "))."
            }
    }

    /// Encodes actions, with redacted secrets.
    struct Coding: Sendable {
        let secrets: [String: [String]]

        /// Nil if the action is not encoded as an object with one member, the case.
        func encode(_ action: Action) -> Example? {
            guard case .object(let object)? = try? JSONValue(encoding: action), object.count == 1,
                let (name, value) = object.first(where: { _ in true }), case .object(var payload) = value
            else { return nil }
            for secret in secrets[name] ?? [] where payload[secret] != nil { payload[secret] = "***" }
            return (name, payload)
        }
    }
}
