extension JSONSchema {
    /// The schema of the JSON that a type decodes, found out by its `init(from:)`, which decodes sample values.
    ///
    /// Properties that the type decodes if present are optional, and may be `null`. The values of an enum whose cases are
    /// encoded as strings are listed. An enum with associated values is an object with one member, the name of the case.
    /// The inner occurrence of a recursive type is ``any``; so is what cannot be found out, such as a type that accepts
    /// values of several types, or that accepts none of the sample values.
    ///
    /// - Parameter type: its `init(from:)` may throw, but must not trap, whatever it decodes.
    package init<Value: Decodable>(of type: Value.Type) {
        self = SchemaRecorder().record(type, nil).schema
    }

    /// The schema of the JSON that a type decodes; the example helps with types that accept few values.
    ///
    /// - Parameters:
    ///   - type: its `init(from:)` may throw, but must not trap, whatever it decodes.
    ///   - example: a value of the type. The schema accepts it.
    package init<Value: Decodable>(of type: Value.Type, example: JSONValue) {
        let schema = SchemaRecorder().record(type, example).schema
        self = schema.validate(example).isEmpty ? schema : .any
    }

    /// The schemas of the payloads of an enum's cases, for an enum with synthesized `Codable`.
    ///
    /// - Parameter examples: a value of each case that must have a schema.
    /// - Returns: The names of all cases, unless they cannot be found out, and the schemas by name.
    package static func cases<Value: Decodable>(
        of type: Value.Type, examples: [JSONValue]
    ) -> (names: [String]?, payloads: [String: JSONSchema]) {
        let recorder = SchemaRecorder()
        var names: [String]?
        var payloads: [String: JSONSchema] = [:]
        if case .object(let properties, _) = recorder.record(type, nil).schema.shape {
            for property in properties { payloads[property.name] = property.schema }
        }
        for example in examples {
            guard let member = example.asObject?.first(where: { _ in true }) else { continue }
            let run = SchemaRun(recorder, example: example)
            _ = run.make(type)
            names = names ?? run.root.keys
            let known = payloads[member.name]
            if known == nil || !(known?.validate(member.value).isEmpty ?? false) {
                let recorded = run.root.schema(of: member.name) ?? .any
                payloads[member.name] = recorded.validate(member.value).isEmpty ? recorded : .any
            }
        }
        return (names, payloads)
    }
}

/// Finds the schemas of types; see ``JSONSchema/init(of:)``.
final class SchemaRecorder {
    typealias Recorded<Value> = (schema: JSONSchema, value: Value?)

    private static let maxTypes = 32
    private static let maxRuns = 20_000

    /// The types whose `init(from:)` is running.
    private var running: [ObjectIdentifier] = []
    private var known: [ObjectIdentifier: (schema: JSONSchema, value: Any?)] = [:]
    private var runs = 0

    /// The schema of a type, and a value of it if there is one.
    func record<Value: Decodable>(_ type: Value.Type, _ example: JSONValue?, _ sample: Int = 0) -> Recorded<Value> {
        if let (schema, value) = SchemaSample.scalar(type, sample) {
            return (schema, example.map { try? $0.decode(type) } ?? value)
        }
        let (schema, value) = composite(type, example)
        return (schema, example.map { try? $0.decode(type) } ?? value)
    }

    private func composite<Value: Decodable>(_ type: Value.Type, _ example: JSONValue?) -> Recorded<Value> {
        if let collection = type as? any SampleCollection.Type {
            return (collection.schema(recordedBy: self, example), collection.sample as? Value)
        }
        if let (schema, value) = JSONSchema.ofCases(of: type) { return (schema, value) }
        let id = ObjectIdentifier(type)
        if let (schema, value) = known[id] { return (schema, value as? Value) }
        guard !running.contains(id), running.count < Self.maxTypes else { return (.any, nil) }
        running.append(id)
        defer { running.removeLast() }
        if let (schema, value) = recordSamples(type) {
            known[id] = (schema, value)
            return (schema, value)
        }
        let run = example.map { SchemaRun(self, example: $0) }
        guard let run, let value = run.make(type) else { return (.any, nil) }
        return (run.root.schema, value)
    }

    /// Tries one sample after the other; nil if the type accepts none.
    private func recordSamples<Value: Decodable>(_ type: Value.Type) -> Recorded<Value>? {
        for sample in SchemaSample.all.indices {
            let run = SchemaRun(self, sample: sample)
            let value = run.make(type)
            if let keys = run.root.keys {
                if let recorded = recordCases(type, keys) { return recorded }
            } else if let value {
                relax(run, type) { SchemaRun(self, sample: sample, refusing: $0) }
                return (run.root.schema, value)
            }
        }
        return nil
    }

    /// The schema of an enum with associated values.
    private func recordCases<Value: Decodable>(_ type: Value.Type, _ keys: [String]) -> Recorded<Value>? {
        var first: Value?
        var properties: [JSONSchema.Property] = []
        for (number, key) in keys.enumerated() {
            var schema = JSONSchema.any
            for sample in SchemaSample.all.indices {
                let run = SchemaRun(self, sample: sample, key: number)
                guard let value = run.make(type) else { continue }
                guard run.root.names.allSatisfy({ $0 == key }) else { return nil }
                relax(run, type) { SchemaRun(self, sample: sample, key: number, refusing: $0) }
                schema = run.root.schema(of: key) ?? .any
                if first == nil {
                    first = value
                    // A recursive case needs a value to be decoded at all.
                    known[ObjectIdentifier(type)] = (.any, value)
                }
                break
            }
            properties.append(.optional(key, schema))
        }
        guard let first else { return nil }
        known[ObjectIdentifier(type)] = nil
        return (.object(properties, minProperties: 1, maxProperties: 1), first)
    }

    /// Repeats a run, and refuses one of its steps each time. If the type can still be decoded, then it accepts other
    /// values in that place too.
    private func relax<Value: Decodable>(_ run: SchemaRun, _ type: Value.Type, _ again: (Int) -> SchemaRun) {
        for (step, accept) in run.steps.enumerated() where runs < Self.maxRuns {
            if again(step).make(type) != nil { accept() }
        }
    }

    /// Counts a run.
    func begin() -> Bool {
        runs += 1
        return runs <= Self.maxRuns
    }
}

/// The values with which types are tried out.
enum SchemaSample {
    static let all: [(text: String, number: Int)] = [
        ("", 0), ("a", 1), ("00000000-0000-0000-0000-000000000000", 2), ("2026-01-31", 10),
        ("2026-01-31T12:00:00Z", 100), ("https://example.com/a", -1), ("1", 1000), ("en", 2026),
    ]

    /// The schema and the sample of a type that Codable treats as a whole; nil for any other type.
    static func scalar<Value>(_ type: Value.Type, _ sample: Int) -> (schema: JSONSchema, value: Value?)? {
        let (text, number) = all[sample % all.count]
        if type == String.self { return (.string(), text as? Value) }
        if type == Bool.self { return (.boolean, (number % 2 == 1) as? Value) }
        if type == Double.self { return (.number(), Double(number) as? Value) }
        if type == Float.self { return (.number(), Float(number) as? Value) }
        if let integer = type as? any FixedWidthInteger.Type {
            return schema(of: integer).map { ($0, integer.init(clamping: number) as? Value) }
        }
        return nil
    }

    /// Nil for an integer type that is not one of Swift's.
    private static func schema<Number: FixedWidthInteger>(of type: Number.Type) -> JSONSchema? {
        if type == Int.self || type == Int64.self { return .integer() }
        if let least = Int(exactly: type.min), let most = Int(exactly: type.max) { return .integer(least...most) }
        // Schemas know no larger integers, so they accept fractions, which decoding refuses.
        if type == UInt.self || type == UInt64.self { return .number(minimum: 0) }
        guard #available(macOS 15, iOS 18, visionOS 2, *) else { return nil }
        if type == UInt128.self { return .number(minimum: 0) }
        return type == Int128.self ? .number() : nil
    }
}

/// A type whose schema follows from those of its type arguments.
private protocol SampleCollection {
    static var sample: Any { get }
    static func schema(recordedBy recorder: SchemaRecorder, _ example: JSONValue?) -> JSONSchema
}

extension SchemaRecorder {
    /// The schema of a type argument.
    fileprivate func schema(of type: Any.Type, _ example: JSONValue?) -> JSONSchema {
        (type as? any Decodable.Type).map { record($0, example).schema } ?? .any
    }
}

extension Optional: SampleCollection {
    fileprivate static var sample: Any { Self.none as Any }

    fileprivate static func schema(recordedBy recorder: SchemaRecorder, _ example: JSONValue?) -> JSONSchema {
        recorder.schema(of: Wrapped.self, example?.isNull == true ? nil : example).nullable
    }
}

extension Array: SampleCollection {
    fileprivate static var sample: Any { Self() }

    fileprivate static func schema(recordedBy recorder: SchemaRecorder, _ example: JSONValue?) -> JSONSchema {
        .array(of: recorder.schema(of: Element.self, example?.asArray?.first))
    }
}

extension Set: SampleCollection {
    fileprivate static var sample: Any { Self() }

    fileprivate static func schema(recordedBy recorder: SchemaRecorder, _ example: JSONValue?) -> JSONSchema {
        .array(of: recorder.schema(of: Element.self, example?.asArray?.first))
    }
}

extension Dictionary: SampleCollection {
    fileprivate static var sample: Any { Self() }

    fileprivate static func schema(recordedBy recorder: SchemaRecorder, _ example: JSONValue?) -> JSONSchema {
        let hasNames = Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
        // Other keys stand in an array, each before its value.
        guard hasNames else { return .array(of: .any) }
        return .dictionary(of: recorder.schema(of: Value.self, example?.asObject?.first { _ in true }?.value))
    }
}
