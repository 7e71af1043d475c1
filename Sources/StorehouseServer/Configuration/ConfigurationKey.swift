package import JSON
import Observability
import StoreHosting
import Stores

/// One thing that can be set: its only declaration, from which files, environment, flags, output and documentation
/// come.
package struct ConfigurationKey: Sendable {
    /// Where it stands in the file: `http.maxBodyBytes`.
    package let path: String
    /// What it means.
    package let summary: String
    /// What is allowed, as it follows "must be".
    package let expected: String
    /// True where the value is never shown.
    package let isSecret: Bool

    private let read: @Sendable (JSONValue, inout Configuration) throws(ValueMismatch) -> Void
    private let write: @Sendable (Configuration) -> JSONValue
    private let parse: @Sendable (String) -> JSONValue

    init<Value>(
        _ path: String, _ place: any WritableKeyPath<Configuration, Value> & Sendable, _ format: ValueFormat<Value>,
        _ summary: String
    ) {
        self.init(path, in: \.self, place, format, summary)
    }

    /// A key of a section that stands at several places.
    init<Section, Value>(
        _ path: String, in section: any WritableKeyPath<Configuration, Section> & Sendable,
        _ place: any WritableKeyPath<Section, Value> & Sendable, _ format: ValueFormat<Value>, _ summary: String
    ) {
        self.path = path
        self.summary = summary
        expected = format.expected
        isSecret = format.isSecret
        read = { value, configuration throws(ValueMismatch) in
            configuration[keyPath: section][keyPath: place] = try format.read(value)
        }
        write = { format.write($0[keyPath: section][keyPath: place]) }
        parse = format.json
    }

    /// The environment variable that sets it, made mechanically of the path: `STOREHOUSE_HTTP_MAX_BODY_BYTES`.
    package var variable: String {
        path.unicodeScalars.reduce(into: Self.variablePrefix) { name, letter in
            switch letter {
            case ".": name += "_"
            case "A"..."Z": name += "_" + String(letter)
            default: name += String(letter).uppercased()
            }
        }
    }

    package static let variablePrefix = "STOREHOUSE_"

    package var defaultValue: JSONValue { value(in: Configuration()) }

    package func value(in configuration: Configuration) -> JSONValue {
        write(configuration)
    }

    /// The value with `***` for every secret.
    package func shownValue(in configuration: Configuration) -> JSONValue {
        isSecret ? value(in: configuration).masked : value(in: configuration)
    }

    /// The JSON that the text of an environment variable or of a flag stands for; not checked yet.
    func json(ofText text: String) -> JSONValue {
        parse(text)
    }

    /// Sets the value.
    /// - Returns: what is wrong with it, nil where it was taken. A secret is not part of it.
    func set(_ value: JSONValue, in configuration: inout Configuration) -> String? {
        do throws(ValueMismatch) {
            try read(value, &configuration)
            return nil
        } catch {
            return error.detail ?? "must be \(expected)" + (isSecret ? "" : ", not \(value.shortened)")
        }
    }
}

extension JSONValue {
    fileprivate var masked: JSONValue {
        switch self {
        case .null: .null
        case .object(let members): .object(JSONObject(members.map { ($0.name, $0.value.masked) }))
        default: .string(Secret.mask)
        }
    }

    /// The value for a line of an error.
    fileprivate var shortened: String {
        switch self {
        case .object: "an object"
        case .array(let elements) where elements.contains { $0.asArray != nil || $0.asObject != nil }: "nested lists"
        default: description.shortened(to: 80)
        }
    }
}

extension ConfigurationKey {
    private static let byPath = Dictionary(all.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })

    /// The paths of all objects that keys stand in.
    private static let sections: Set<String> = Set(
        all.flatMap { key in
            key.path.indices.filter { key.path[$0] == "." }.map { String(key.path[..<$0]) }
        })

    static func at(_ path: String) -> ConfigurationKey? {
        byPath[path]
    }

    static func isSection(_ path: String) -> Bool {
        sections.contains(path)
    }

    /// The path that somebody who wrote this one most likely meant: of a section where the value is an object.
    static func nearest(to path: String, value: JSONValue) -> String {
        let candidates = value.asObject == nil ? all.map(\.path) : sections.sorted()
        return nearest(in: candidates) { candidate in
            // A key in the wrong section is as near as one that is misspelt.
            min(editDistance(candidate, path), editDistance(lastName(of: candidate), lastName(of: path)) + 1)
        }
    }

    /// The variable that somebody who wrote this one most likely meant, with the key that it sets.
    static func nearest(toVariable variable: String) -> String {
        let names = all.map { (variable: $0.variable, shown: "\($0.variable) (\($0.path))") }
        let wanted = variable.uppercased()
        return names.min { editDistance($0.variable, wanted) < editDistance($1.variable, wanted) }?.shown ?? ""
    }

    private static func nearest(in candidates: [String], distance: (String) -> Int) -> String {
        candidates.map { (path: $0, distance: distance($0)) }.min { $0.distance < $1.distance }?.path ?? ""
    }

    private static func lastName(of path: String) -> String {
        path.split(separator: ".").last.map(String.init) ?? ""
    }
}

/// A flag of the command line that sets a key.
package struct ConfigurationFlag: Sendable, Hashable {
    /// As it was written: `--port`.
    package let name: String
    /// The key: `http.port`.
    package let path: String
    package let text: String

    package init(name: String, path: String, text: String) {
        self.name = name
        self.path = path
        self.text = text
    }
}
