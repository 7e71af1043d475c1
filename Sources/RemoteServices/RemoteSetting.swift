public import JSON

extension RemoteService {
    /// A setting of a remote service beside its address, with a value of its own in the configuration: `upstreams.SERVICE.NAME`.
    ///
    ///     static let place = RemoteService.Setting.pointer("pointer", JSONPointer(tokens: ["text"]), "the place of the text")
    ///
    /// A kind declares its settings with the ``RemoteService``, and reads them from ``RemoteClients``. A server accepts only
    /// values of the declared format.
    public struct Setting<Value: Sendable>: SettingDeclaration {
        public let name: String
        public let summary: String
        public let format: RemoteService.SettingFormat
        public let defaultJSON: JSONValue
        private let defaultValue: Value
        private let decode: @Sendable (JSONValue) -> Value?

        private init(
            _ name: String, _ summary: String, _ format: RemoteService.SettingFormat, _ defaultValue: Value,
            json: JSONValue,
            decode: @escaping @Sendable (JSONValue) -> Value?
        ) {
            self.name = name
            self.summary = summary
            self.format = format
            self.defaultValue = defaultValue
            defaultJSON = json
            self.decode = decode
        }

        /// The value of a configured JSON value; the default if there is none.
        func value(of json: JSONValue?) -> Value { json.flatMap(decode) ?? defaultValue }
    }
}

extension RemoteService {
    /// The part of a ``RemoteService/Setting`` that is the same for every type of value.
    public protocol SettingDeclaration: Sendable {
        /// The last part of the configuration key: a lower-case letter, then letters and digits.
        var name: String { get }
        /// The meaning, in a sentence without a capital and a full stop.
        var summary: String { get }
        /// The allowed values.
        var format: RemoteService.SettingFormat { get }
        /// The value without a configuration.
        var defaultJSON: JSONValue { get }
    }
}

extension RemoteService {
    /// The allowed values of a ``RemoteService/Setting``.
    public enum SettingFormat: Sendable, Hashable {
        /// A text of 1 to 256 characters.
        case text
        /// One of these texts.
        case choice([String])
        /// A list of statuses in this range.
        case statuses(ClosedRange<Int>)
        /// An object of texts, which are secret.
        case secrets
        /// A JSON Pointer; if optional, or null.
        case pointer(isOptional: Bool)
    }
}

extension RemoteService.Setting<String> {
    /// A text of 1 to 256 characters.
    public static func text(_ name: String, _ value: String, _ summary: String) -> Self {
        Self(name, summary, .text, value, json: .string(value)) { $0.asString }
    }
}

extension RemoteService.Setting where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of an enumeration.
    public static func choice(_ name: String, _ value: Value, _ summary: String) -> Self {
        Self(
            name, summary, .choice(Value.allCases.map(\.rawValue)), value, json: .string(value.rawValue)
        ) {
            $0.asString.flatMap(Value.init(rawValue:))
        }
    }
}

extension RemoteService.Setting<[Int]> {
    /// A list of statuses.
    public static func statuses(
        _ name: String, _ value: [Int], in range: ClosedRange<Int> = 100...599, _ summary: String
    ) -> Self {
        Self(name, summary, .statuses(range), value, json: .array(value.map { .integer($0) })) { json in
            json.asArray.map { $0.compactMap(\.asInteger) }
        }
    }
}

extension RemoteService.Setting<[String: String]> {
    /// An object of texts, which are never shown; empty without a configuration.
    public static func secrets(_ name: String, _ summary: String) -> Self {
        Self(name, summary, .secrets, [:], json: [:]) { json in
            json.asObject.map { object in
                Dictionary(object.map { ($0.name, $0.value.asString ?? "") }) { $1 }
            }
        }
    }
}

extension RemoteService.Setting<JSONPointer> {
    /// A JSON Pointer, such as the place of a value in a response.
    package static func pointer(_ name: String, _ value: JSONPointer, _ summary: String) -> Self {
        Self(name, summary, .pointer(isOptional: false), value, json: .string(value.description)) { json in
            json.asString.flatMap { try? JSONPointer($0) }
        }
    }
}

extension RemoteService.Setting<JSONPointer?> {
    /// A JSON Pointer or null, which is the default.
    package static func optionalPointer(_ name: String, _ summary: String) -> Self {
        Self(name, summary, .pointer(isOptional: true), nil, json: .null) { json in
            json.asString.map { try? JSONPointer($0) }
        }
    }
}
