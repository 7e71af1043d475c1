import Testing

/// Where credentials are checked and changes are found, texts are compared by their bytes.
///
/// Swift's `==` on `String` holds two forms of one letter for equal, so such a comparison is a fault there. The types that compare
/// bytes are `Subject`, `JSONValue` and `ExactComparison`.
@Suite struct ByteComparisonTests {
    private static let folders = [
        "Sources/Security/Tokens/", "Sources/StorehouseServer/Access/", "Sources/StoreHosting/Diffing/",
        "Sources/JSON/Patch/", "Sources/Stores/ChangeTracking/", "Sources/Stores/Entities/",
    ]
    /// Texts that are only shown, parsed or written.
    private static let properties: Set<String> = [
        "description", "detail", "text", "token", "realm", "path", "from", "name", "adminToken", "failure", "paths",
        "names", "keys", "message", "problem", "kind", "error", "tablePath",
    ]

    /// The fault of a line of such a file; nil if there is none.
    private static func fault(in line: Substring) throws -> String? {
        let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        func has(_ pattern: String) throws -> Bool {
            try code.contains(Regex(pattern).wordBoundaryKind(.simple))
        }
        if try has("asString") && has(#"(==|!=) (?!nil)|contains\(|switch |hasPrefix|hasSuffix"#) {
            return "compares a text of JSON; use asSubject, or compare the JSON values"
        }
        if try has(#"Set<(String|Substring)>|\[(String|Substring|(Entity\.)?ID) ?:|Dictionary<String"#) {
            return "looks a text up"
        }
        if try has(#"\b(has(Prefix|Suffix)|init\(rawValue:)"#) { return "compares a text" }
        if try has(#"\b(entity|text|name|subject|owner|id) (==|!=) (?!nil)"#),
            try !has("Subject|CodePointString|asSubject|token.keyID|realm ==|claims.subject")
        {
            return "compares texts or entities"
        }
        if try has(#"\{ \$0 (==|!=) \$1 \}"#) { return "compares entities" }
        guard let property = try code.firstMatch(of: Regex(#"\b(?:let|var) (\w+): \[?(?:String|Substring)\b"#)) else {
            return nil
        }
        let name = String(property.output[1].substring ?? "")
        return properties.contains(name) ? nil : "has the text \(name); if it is compared, it must be a Subject"
    }

    @Test func noTextIsComparedByItsMeaningInUnicode() throws {
        let paths = try ProjectFile.paths(below: "Sources").filter { path in
            path.hasSuffix(".swift") && Self.folders.contains { path.hasPrefix($0) }
        }
        #expect(paths.count > 30)
        for path in paths {
            let lines = try ProjectFile.text(of: path).split(separator: "\n", omittingEmptySubsequences: false)
            for (number, line) in zip(1..., lines) {
                guard let fault = try Self.fault(in: line) else { continue }
                Issue.record("\(path):\(number) \(fault): \(line)")
            }
        }
    }

    @Test(arguments: [
        #"if let issuer, json["iss"]?.asString != issuer { throw .wrongIssuer }"#,
        #"switch element["kty"]?.asString {"#, "var owners: Set<String> = []", "var rowOfID: [Entity.ID: Int32] = [:]",
        "if rows[Int(row)].entity != before {", "guard text.hasPrefix(prefix) else {", "setAll(entities) { $0 == $1 }",
        "package let subject: String", "package let stores: [String]?",
        "let permissions = Permission.init(rawValue: name)",
        "guard owner == subject else {", "if element.id == id {",
    ])
    func suchAComparisonIsFound(line: String) throws { #expect(try Self.fault(in: line[...]) != nil) }

    @Test(arguments: [
        "guard id == nil || id?.asString != nil", "package let subject: Subject", "// entity == other",
        "if let issuer, json[\"iss\"]?.asSubject != issuer { throw .wrongIssuer }", "guard row != last else {",
    ])
    func anotherLineIsNot(line: String) throws { #expect(try Self.fault(in: line[...]) == nil) }
}
