extension JSONSchema {
    /// Returns the violations in document order; empty if the value is valid.
    ///
    /// Takes time linear in the value, and stops after 20 violations.
    /// - Parameters:
    ///   - value: the value to check.
    ///   - pointer: the path of the value inside the client's document; the violations' pointers start with it.
    @usableFromInline
    package func validate(_ value: JSONValue, at pointer: JSONPointer = .root) -> [Violation] {
        var validator = SchemaValidator()
        validator.check(value, against: self)
        return validator.violations.map { violation in
            Violation(
                pointer: JSONPointer(tokens: pointer.tokens + violation.path.reversed()), detail: violation.detail)
        }
    }
}

/// Walks through one value. Paths are built backwards from violations only, so a valid value allocates nothing.
private struct SchemaValidator {
    private static let maxViolations = 20

    /// Each path has its innermost token first.
    private(set) var violations: [(path: [String], detail: String)] = []

    mutating func check(_ value: JSONValue, against schema: JSONSchema) {
        if schema.isNullable, value.isNull {
            return
        }
        switch (schema.shape, value) {
        case (.any, _), (.boolean, .bool): break
        case (.number(let minimum, let maximum), _):
            let number = value.asNumber
            require(number.map { $0 >= minimum ?? -.infinity && $0 <= maximum ?? .infinity } ?? false, schema)
        case (.integer(let minimum, let maximum), _):
            check(value.asInteger, minimum, maximum, schema)
        case (.enumeration(let allowed), .string(let text)):
            let text = CodePointString(text)
            require(allowed.contains { CodePointString($0) == text }, schema)
        case (.string(let rules), .string(let text)): check(text, rules)
        case (.array(let items, let count), .array(let elements)): check(elements, items, count)
        case (.object(let properties, let count), .object(let object)): check(object, properties, count)
        case (.dictionary(let values, let count), .object(let object)): check(object, values, count)
        default: require(false, schema)
        }
    }

    private mutating func check(_ number: Int?, _ minimum: Int?, _ maximum: Int?, _ schema: JSONSchema) {
        let isAllowed = number.map { $0 >= minimum ?? .min && $0 <= maximum ?? .max }
        require(isAllowed ?? false, schema)
    }

    private mutating func check(_ text: String, _ rules: JSONSchema.TextRules) {
        if let limit = rules.maxBytes, text.utf8.count > limit {
            report("must have " + rules.length.phrase("character") + " in at most \(limit) bytes of UTF-8")
        } else if !rules.hasAllowedLength(text) {
            report("must have " + rules.length.phrase("character"))
        } else if let format = rules.format, !format.accepts(text) {
            report("must be \(format.phrase)")
        } else if let pattern = rules.pattern, !pattern.matches(text) {
            report(pattern.phrase.map { "must be \($0)" } ?? "must match \(pattern.expression)")
        }
    }

    private mutating func check(_ elements: [JSONValue], _ items: JSONSchema, _ count: JSONSchema.ItemCount) {
        guard count.contains(elements.count) else { return report("must have " + count.phrase("element")) }
        for (index, element) in elements.enumerated() where !isFull {
            inside(String(index)) { $0.check(element, against: items) }
        }
    }

    private mutating func check(
        _ object: JSONObject, _ properties: [JSONSchema.Property], _ count: JSONSchema.ItemCount
    ) {
        var knownMembers = 0
        for property in properties {
            if let value = object[property.name] {
                knownMembers += 1
                inside(property.name) { $0.check(value, against: property.schema) }
            } else if property.isRequired {
                inside(property.name) { $0.report("is required") }
            }
        }
        if knownMembers < object.count {
            reportUnknownMembers(of: object, properties)
        }
        if !count.contains(object.count) {
            report("must have " + count.phrase("member"))
        }
    }

    private mutating func check(_ object: JSONObject, _ values: JSONSchema, _ count: JSONSchema.ItemCount) {
        guard count.contains(object.count) else { return report("must have " + count.phrase("member")) }
        for (name, value) in object where !isFull {
            inside(name) { $0.check(value, against: values) }
        }
    }

    private mutating func reportUnknownMembers(of object: JSONObject, _ properties: [JSONSchema.Property]) {
        let known = Set(properties.map { CodePointString($0.name) })
        for name in object.names where !isFull && !known.contains(CodePointString(name)) {
            inside(name) { $0.report(Self.unknownMember(properties)) }
        }
    }

    private static func unknownMember(_ properties: [JSONSchema.Property]) -> String {
        guard !properties.isEmpty else { return "is not known; no members are allowed" }
        return "is not known; known members: " + properties.map(\.name).joined(separator: ", ")
    }

    private mutating func inside(_ token: @autoclosure () -> String, _ body: (inout SchemaValidator) -> Void) {
        let before = violations.count
        body(&self)
        for index in before..<violations.count { violations[index].path.append(token()) }
    }

    private mutating func require(_ isAllowed: Bool, _ schema: JSONSchema) {
        if !isAllowed {
            report("must be " + schema.shape.phrase + (schema.isNullable ? " or null" : ""))
        }
    }

    private mutating func report(_ detail: String) {
        if !isFull { violations.append((path: [], detail: detail)) }
    }

    private var isFull: Bool { violations.count >= Self.maxViolations }
}

extension JSONSchema.Shape {
    /// Continues the sentence "must be …".
    fileprivate var phrase: String {
        switch self {
        case .integer(let minimum?, let maximum?): "an integer from \(minimum) to \(maximum)"
        case .integer(let minimum?, nil): "an integer, \(minimum) or more"
        case .integer(nil, let maximum?): "an integer, \(maximum) or less"
        case .integer(nil, nil): "an integer of 64 bits"
        case .any: "any value"
        case .number(let minimum?, let maximum?): "a number from \(minimum) to \(maximum)"
        case .number(let minimum?, nil): "a number, \(minimum) or more"
        case .number(nil, let maximum?): "a number, \(maximum) or less"
        case .number(nil, nil): "a number"
        case .boolean: "true or false"
        case .enumeration(let allowed): "one of " + allowed.joined(separator: ", ")
        case .string: "a string"
        case .array: "an array"
        case .object, .dictionary: "an object"
        }
    }
}

extension JSONSchema.Format {
    fileprivate var phrase: String {
        switch self {
        case .date: "a day of the calendar, written YYYY-MM-DD"
        }
    }
}

extension JSONSchema {
    /// The unit of a string's length.
    package enum TextUnit: Sendable, Hashable {
        /// Unicode code points, as in JSON Schema.
        case scalars
        /// Grapheme clusters, which people see as characters.
        case characters
    }

    /// A regular expression that is published, and an equivalent function that checks strings.
    package struct Pattern: Sendable {
        /// The published regular expression, in the ECMA-262 dialect that JSON Schema prescribes.
        package let expression: String
        /// A description for people, such as `a language tag such as "en"`.
        package let phrase: String?
        /// Decides whether a string matches, in time linear in the string.
        package let matches: @Sendable (String) -> Bool

        /// A pattern from an expression and an equivalent function.
        ///
        /// - Parameters:
        ///   - expression: the published regular expression, in the ECMA-262 dialect that JSON Schema prescribes.
        ///   - phrase: a description for people; if nil, violations show the expression.
        ///   - matches: decides whether a string matches; must take time linear in the string.
        package init(_ expression: String, phrase: String? = nil, matches: @escaping @Sendable (String) -> Bool) {
            self.expression = expression
            self.phrase = phrase
            self.matches = matches
        }
    }

    /// A format that validation checks.
    package enum Format: String, Sendable, Hashable {
        /// `YYYY-MM-DD` (RFC 3339 full-date), an existing day.
        case date
    }

    struct TextRules: Sendable {
        let length: ItemCount
        let unit: TextUnit
        let pattern: Pattern?
        let format: Format?

        /// The largest size in UTF-8; nil for no limit, or if code points are counted, which have at most four bytes.
        var maxBytes: Int? {
            guard unit == .characters, let maximum = length.maximum, maximum < Int.max / 8 else { return nil }
            return maximum * 8
        }

        func hasAllowedLength(_ text: String) -> Bool {
            switch unit {
            case .scalars: length.contains(text.unicodeScalars.count)
            case .characters: length.contains(text.count)
            }
        }
    }
}

extension JSONSchema.Format {
    func accepts(_ text: String) -> Bool {
        switch self {
        case .date: Self.isDate(Array(text.utf8.prefix(11)))
        }
    }

    private static func isDate(_ text: [UInt8]) -> Bool {
        guard text.count == 10, text[4] == Byte.minus, text[7] == Byte.minus,
            let year = number(text[0..<4]), let month = number(text[5..<7]), let day = number(text[8..<10])
        else { return false }
        return day >= 1 && day <= days(inMonth: month, of: year)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(Byte.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - Byte.zero) }
    }

    /// In the Gregorian calendar; 0 for an invalid month.
    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        case 1...12: 31
        default: 0
        }
    }
}

extension JSONSchema {
    /// One way in which a value does not match a schema.
    @usableFromInline
    package struct Violation: Sendable, Hashable, JSONEncodable {
        /// The invalid value, or the missing member.
        package let pointer: JSONPointer
        /// The requirement that the value does not meet. It does not quote the value, which may be secret.
        package let detail: String

        /// A violation by the value at `pointer`.
        package init(pointer: JSONPointer, detail: String) {
            self.pointer = pointer
            self.detail = detail
        }

        @usableFromInline
        package func encode(into json: inout JSONWriter) {
            json.object { json in
                json.member("pointer", pointer)
                json.member("detail", detail)
            }
        }
    }
}
