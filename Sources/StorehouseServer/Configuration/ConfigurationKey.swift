package import JSON
import Observability
import StoreHosting
import Stores

/// The only declaration of one setting. Files, environment variables, flags, `check-config` and the documentation follow
/// from it.
package struct ConfigurationKey<Root: Sendable>: Sendable {
    /// The place in the file: `http.maxBodyBytes`.
    package let path: String
    package let summary: String
    /// The allowed values, as they follow "must be".
    package let expected: String
    /// The values if they are words of a list, else empty.
    package let words: [String]
    /// True if the value is never shown.
    package let isSecret: Bool
    package let defaultValue: JSONValue
    /// The default in the documentation.
    package let defaultText: String

    private let read: @Sendable (JSONValue, inout Root) throws(ValueMismatch) -> Void
    private let write: @Sendable (Root) -> JSONValue
    /// The value that counts. It differs from that of ``write`` if the setting has a default that depends on others.
    private let writeInForce: @Sendable (Root) -> JSONValue
    private let parse: @Sendable (String) -> JSONValue
    private let mask: (@Sendable (String) -> String)?

    package init<Value>(
        _ path: String, _ member: any WritableKeyPath<Root, Value> & Sendable, _ format: ValueFormat<Value>,
        _ summary: String
    ) where Root: ConfigurationRoot {
        self.init(path, in: \.self, member, format, summary, defaults: Root())
    }

    /// A key of a section that occurs at several places.
    ///
    /// - Parameter defaults: has the default of the key.
    package init<Section, Value>(
        _ path: String, in section: any WritableKeyPath<Root, Section> & Sendable,
        _ member: any WritableKeyPath<Section, Value> & Sendable, _ format: ValueFormat<Value>, _ summary: String,
        defaults: Root
    ) {
        self.path = path
        self.summary = summary
        expected = format.expected
        words = format.words
        isSecret = format.isSecret
        read = { value, root throws(ValueMismatch) in
            root[keyPath: section][keyPath: member] = try format.read(value)
        }
        write = { format.write($0[keyPath: section][keyPath: member]) }
        writeInForce = write
        parse = format.json
        mask = format.mask
        defaultValue = write(defaults)
        defaultText = "`\(defaultValue)`"
    }

    /// A key whose default depends on other settings. In files, the default is null.
    ///
    /// - Parameters:
    ///   - defaultText: the default in the documentation.
    ///   - inForce: the setting, or its default.
    package init<Value>(
        _ path: String, _ member: any WritableKeyPath<Root, Value?> & Sendable, _ format: ValueFormat<Value>,
        _ summary: String, default defaultText: String, inForce: @escaping @Sendable (Root) -> Value
    ) where Root: ConfigurationRoot {
        let optional = format.orNull()
        self.path = path
        self.summary = summary
        self.defaultText = defaultText
        (expected, isSecret, mask, parse) = (optional.expected, optional.isSecret, optional.mask, optional.json)
        words = optional.words
        read = { value, root throws(ValueMismatch) in root[keyPath: member] = try optional.read(value) }
        write = { optional.write($0[keyPath: member]) }
        writeInForce = { format.write(inForce($0)) }
        defaultValue = .null
    }

    /// The key of a configuration that is part of another one, as a key of the whole.
    package init<Part>(_ key: ConfigurationKey<Part>, in part: any WritableKeyPath<Root, Part> & Sendable) {
        path = key.path
        summary = key.summary
        expected = key.expected
        words = key.words
        isSecret = key.isSecret
        defaultValue = key.defaultValue
        defaultText = key.defaultText
        read = { value, root throws(ValueMismatch) in try key.read(value, &root[keyPath: part]) }
        write = { key.write($0[keyPath: part]) }
        writeInForce = { key.writeInForce($0[keyPath: part]) }
        parse = key.parse
        mask = key.mask
    }

    /// The environment variable, made mechanically from the path: `STOREHOUSE_HTTP_MAX_BODY_BYTES`.
    package var variable: String { environmentVariable(of: path) }

    /// The variable with the name of a file that has the value, if it is a secret.
    package var fileVariable: String { variable + "_FILE" }

    /// Whether values of the key may be secret, or have secret parts.
    package var mayHoldSecret: Bool { isSecret || mask != nil }

    /// Whether something of the value is hidden when it is shown.
    func hides(_ value: JSONValue) -> Bool { shown(value) != value && value != .object([:]) }

    package func value(in root: Root) -> JSONValue { write(root) }

    /// The value as a file has it, with `***` for every secret.
    package func shownSetting(in root: Root) -> JSONValue { shown(write(root)) }

    /// The value that counts, with `***` for every secret.
    package func shownValue(in root: Root) -> JSONValue { shown(writeInForce(root)) }

    private func shown(_ value: JSONValue) -> JSONValue {
        if isSecret { return value.masked }
        guard let mask, case .string(let text) = value else { return value }
        return .string(mask(text))
    }

    /// The JSON value of an environment variable or a flag. It is not checked yet.
    func json(ofText text: String) -> JSONValue { parse(text) }

    /// Sets the value.
    ///
    /// - Returns: what is wrong with it, without the value of a secret; nil if it was set.
    func set(_ value: JSONValue, in root: inout Root) -> String? {
        do throws(ValueMismatch) {
            try read(value, &root)
            return nil
        } catch {
            return error.detail ?? "must be \(expected)" + (isSecret ? "" : ", not \(shown(value).shortened)")
        }
    }
}

/// The variables of the environment with this prefix are settings.
let environmentPrefix = "STOREHOUSE_"

/// The environment variable of a key or a section. Several capitals in a row are one word: `jwksURL` is `JWKS_URL`.
private func environmentVariable(of path: String) -> String {
    var name = environmentPrefix
    var endsInCapital = true
    for letter in path.unicodeScalars {
        let isCapital = ("A"..."Z").contains(letter)
        if isCapital, !endsInCapital { name += "_" }
        name += letter == "." ? "_" : String(letter).uppercased()
        endsInCapital = isCapital
    }
    return name
}

extension JSONValue {
    fileprivate var masked: JSONValue {
        switch self {
        case .null: .null
        case .object(let members): .object(JSONObject(members.map { ($0.name, $0.value.masked) }))
        default: .string(Secret.mask)
        }
    }

    /// The value for one line of an error.
    fileprivate var shortened: String {
        switch self {
        case .object: "an object"
        case .array(let elements) where elements.contains { $0.asArray != nil || $0.asObject != nil }: "nested lists"
        default: description.shortened(to: 80)
        }
    }
}

/// The keys of a configuration by their paths, and those that a misspelt one may mean.
struct ConfigurationKeyIndex<Root: ConfigurationRoot> {
    private let keys: [ConfigurationKey<Root>]
    private let byPath: [String: ConfigurationKey<Root>]
    private let optionalSections: [String]
    /// The paths of all objects that contain keys.
    private let sections: Set<String>

    init(_ root: Root) {
        keys = root.keys
        byPath = Dictionary(keys.map { ($0.path, $0) }) { first, _ in first }
        optionalSections = root.optionalSections
        sections = Set(
            keys.flatMap { key in
                key.path.indices.filter { key.path[$0] == "." }.map { String(key.path[..<$0]) }
            })
    }

    func key(at path: String) -> ConfigurationKey<Root>? { byPath[path] }

    func key(ofVariable variable: String) -> ConfigurationKey<Root>? { keys.first { $0.variable == variable } }

    var secretKeys: [ConfigurationKey<Root>] { keys.filter(\.mayHoldSecret) }

    func key(ofFileVariable variable: String) -> ConfigurationKey<Root>? {
        secretKeys.first { $0.fileVariable == variable }
    }

    func isSection(_ path: String) -> Bool { sections.contains(path) }

    /// Whether the section may be null, and set as a whole by a variable or a flag.
    func isOptionalSection(_ path: String) -> Bool { optionalSections.contains(path) }

    func optionalSection(ofVariable variable: String) -> String? {
        optionalSections.first { environmentVariable(of: $0) == variable }
    }

    func keys(inSection path: String) -> [ConfigurationKey<Root>] { keys.filter { $0.path.hasPrefix(path + ".") } }

    /// The known path that a mistyped one may mean: of a section if the value is an object, else of a key or an optional section.
    func similar(to path: String, value: JSONValue) -> String? {
        let candidates = value.asObject == nil ? keys.map(\.path) + optionalSections : sections.sorted()
        return candidates.similar(to: path).first
    }

    /// The known variable that a mistyped one may mean, with the key or the section that it sets.
    func similar(toVariable variable: String) -> String? {
        let paths = keys.map(\.path) + optionalSections
        // The prefix that all have makes none of them similar.
        let start = environmentPrefix.count
        let found = paths.similar(to: String(variable.dropFirst(start))) {
            String(environmentVariable(of: $0).dropFirst(start))
        }
        return found.first.map { "\(environmentVariable(of: $0)) (\($0))" }
    }
}

/// A flag of the command line that sets a key.
package struct ConfigurationFlag: Sendable, Hashable {
    /// The flag as it was written: `--port`.
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
