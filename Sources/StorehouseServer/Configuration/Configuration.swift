package import JSON
public import Observability

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All that can be set about a server, every value at its default to begin with.
///
/// What each key is called outside, what it allows and what it means stands in `ConfigurationKey.all`, in the same
/// order. Lengths of time are exact to the microsecond.
public struct Configuration: Sendable, Hashable {
    public var http = Http()
    public var sessions = Sessions()
    public var streams = Streams()
    public var upstreams = Upstreams()
    public var storage = Storage()
    public var admin = Admin()
    public var log = Logging()
    public var inspector = Inspector()

    /// Every value at its default.
    public init() {}

    /// Listening, and what a client may ask for.
    public struct Http: Sendable, Hashable {
        public var host = "127.0.0.1"
        public var port = 8080
        public var threads = 0
        public var maxBodyBytes = 65536
        public var maxHeaderBytes = 16384
        public var headerTimeout = Duration.seconds(10)
        public var bodyTimeout = Duration.seconds(30)
        public var idleTimeout = Duration.seconds(60)
        public var maxConnections = 0
        public var allowedOrigins: [String] = []
        public var drainTimeout = Duration.seconds(10)
        public var maxWait = Duration.seconds(60)
    }

    /// How many sessions there may be, and for how long.
    public struct Sessions: Sendable, Hashable {
        public var defaultStore = "app"
        public var max = 1_000_000
        /// How many of them stay in memory where the others rest in storage.
        public var maxResident = 20_000
        public var idleTimeout = Duration.seconds(86400)
    }

    /// Event streams.
    public struct Streams: Sendable, Hashable {
        public var heartbeat = Duration.seconds(15)
        public var maxPerSession = 64
        public var bufferBytes = 65536
        /// Zero for no end.
        public var maxLifetime = Duration.zero
    }

    /// Where commits are kept.
    public struct Storage: Sendable, Hashable {
        /// What keeps them.
        public enum Kind: String, Sendable, CaseIterable {
            case memory, sqlite
        }

        /// What the answer to an action promises about its commit.
        public enum Durability: String, Sendable, CaseIterable {
            /// It is committed and synced before the answer leaves.
            case full
            /// It is committed soon after.
            case relaxed
        }

        public var kind = Kind.memory
        public var path = "storehouse.db"
        public var durability = Durability.full
        /// How many commits of a session are kept at least.
        public var keepCommits = 1000
        /// After how many days commits go however few they are; zero for never.
        public var keepDays = 0
        /// Without one no secret is kept.
        public var key: SealingKey?
    }

    /// Who may list sessions.
    public struct Admin: Sendable, Hashable {
        /// Without one the server makes one at each start.
        public var token: Secret?
    }

    /// What is logged, and how.
    public struct Logging: Sendable, Hashable {
        public var level = LogLevel.info
        public var format = LogFormat.text
    }

    /// The page at `/`.
    public struct Inspector: Sendable, Hashable {
        public var enabled = true
    }
}

extension Configuration {
    /// The file that is read where none is named, if it is there; seen from the working directory.
    public static let defaultFile = "config/storehouse.json"

    /// Reads the file, then the environment; the later wins.
    ///
    /// - Parameters:
    ///   - file: must be there. Without one `config/storehouse.json` is read if it is there.
    ///   - environment: what begins with `STOREHOUSE_` counts; nil is the environment of the process.
    /// - Throws: everything that is wrong, at once.
    public static func load(
        file: String? = nil, environment: [String: String]? = nil
    ) throws(ConfigurationError) -> Configuration {
        try load(file: file, environment: environment, flags: [])
    }

    /// The same, with flags over all.
    package static func load(
        file: String?, environment: [String: String]? = nil, flags: [ConfigurationFlag]
    ) throws(ConfigurationError) -> Configuration {
        var reader = ConfigurationReader()
        let name = file ?? defaultFile
        do throws(FileError) {
            reader.read(file: try FileContents.contents(of: name, atMost: 1 << 20), named: name)
        } catch {
            let isFine = file == nil && error == .missing
            if !isFine { reader.report(unreadable: name, error) }
        }
        return try reader.finish(environment: environment ?? ProcessInfo.processInfo.environment, flags: flags)
    }

    /// What the bytes of a file, the environment and flags make together.
    package init(
        file: [UInt8]? = nil, named name: String = defaultFile, environment: [String: String] = [:],
        flags: [ConfigurationFlag] = []
    ) throws(ConfigurationError) {
        var reader = ConfigurationReader()
        if let file { reader.read(file: file, named: name) }
        self = try reader.finish(environment: environment, flags: flags)
    }
}

extension Configuration {
    /// Every key with its value, in the shape and order of the file, with `***` for secrets.
    package var json: JSONValue {
        var document = JSONObject()
        for key in ConfigurationKey.all {
            document.set(key.path.split(separator: ".").map(String.init)[...], to: key.shownValue(in: self))
        }
        return .object(document)
    }

    /// What `check-config` prints: a file with these values, without the last line break.
    package var document: String {
        json.indented
    }

    /// The table of the README: key, default, what is allowed, what it means.
    package static var markdownTable: String {
        let rows = ConfigurationKey.all.map { key in
            "| `\(key.path)` | `\(key.defaultValue)` | \(key.expected.inTableCell) | \(key.summary.inTableCell) |\n"
        }
        return "| key | default | allowed | meaning |\n|---|---|---|---|\n" + rows.joined()
    }
}

extension JSONObject {
    /// Sets a value at the end of a path of names, and makes the objects on the way.
    fileprivate mutating func set(_ path: ArraySlice<String>, to value: JSONValue) {
        guard let first = path.first else { return }
        guard path.count > 1 else {
            self[first] = value
            return
        }
        var section = self[first]?.asObject ?? [:]
        section.set(path.dropFirst(), to: value)
        self[first] = .object(section)
    }
}

extension String {
    fileprivate var inTableCell: String {
        split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}

extension JSONValue {
    /// The value as JSON for people: a member a line, two spaces a level; lists and empty objects in one line.
    var indented: String {
        indented(by: "")
    }

    private func indented(by margin: String) -> String {
        if case .array(let elements) = self {
            return "[" + elements.map { $0.indented(by: margin) }.joined(separator: ", ") + "]"
        }
        guard case .object(let members) = self, !members.isEmpty else { return description }
        let inner = margin + "  "
        let lines = members.map { name, value in
            "\(inner)\(JSONValue.string(name)): \(value.indented(by: inner))"
        }
        return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
    }
}
