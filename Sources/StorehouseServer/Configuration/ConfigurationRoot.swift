package import JSON
import Platform

/// Settings that are read from a file, the environment and flags, all by the declarations of their keys.
///
/// A program with settings of its own beside those of ``Configuration`` conforms a type that contains one, and declares the
/// keys of both.
package protocol ConfigurationRoot: Sendable, Equatable {
    /// The default of every setting.
    init()

    /// Every key, in the order of the file. No two have the same path or the same environment variable.
    var keys: [ConfigurationKey<Self>] { get }

    /// The paths of objects that may be null as a whole: then all their keys are null.
    var optionalSections: [String] { get }

    /// The faults of values that are valid one by one.
    var conflicts: [ConfigurationProblem] { get }

    /// Lines for the log about the sources.
    var notices: [ConfigurationNotice] { get set }
}

extension Configuration: ConfigurationRoot {
    package var keys: [ConfigurationKey<Configuration>] { Self.keys }
    package var optionalSections: [String] { Self.optionalSections }

    package var conflicts: [ConfigurationProblem] {
        let defaults = Limits()
        let limits = [
            ("actions", limits.actions, defaults.actions), ("requests", limits.requests, defaults.requests),
            ("sessions", limits.sessions, defaults.sessions), ("signals", limits.signals, defaults.signals),
        ]
        return access.conflicts + portConflicts
            + limits.compactMap { name, limit, standard in
                // Nobody has to set the standard burst of a limit that is off.
                guard limit.rate == nil, limit.burst != nil, limit.burst != standard.burst else { return nil }
                let path = "limits.\(name)"
                return ConfigurationProblem(path: path + ".rate", detail: "is missing; \(path).burst alone is no limit")
            }
    }
}

extension Configuration {
    private var portConflicts: [ConfigurationProblem] {
        guard metrics.port != 0, metrics.port == http.port else { return [] }
        return [ConfigurationProblem(path: "metrics.port", detail: "is http.port too; set another, or 0 for one port")]
    }
}

extension ConfigurationRoot {
    /// Reads the file, then the environment, then flags; the later wins.
    ///
    /// - Parameters:
    ///   - defaults: the settings that no source has, and the known keys.
    ///   - file: must exist. Without one, `config/storehouse.json` is read if it exists.
    ///   - environment: the variables that begin with `STOREHOUSE_` count; nil is the environment of the process.
    /// - Throws: everything that is wrong, at once.
    package static func load(
        _ defaults: Self = Self(), file: String?, environment: [String: String]? = nil, flags: [ConfigurationFlag] = []
    ) throws(ConfigurationError) -> Self {
        var reader = ConfigurationReader(defaults)
        let name = file ?? Configuration.defaultFile
        do throws(FileError) {
            reader.read(file: try FileContents.contents(of: name, atMost: 1 << 20), named: name)
        } catch {
            let isOptional = file == nil && error == .missing
            if !isOptional { reader.report(unreadable: name, "cannot be read: \(error)") }
        }
        return try reader.finish(environment: environment ?? environmentVariables(), flags: flags)
    }

    /// The settings of a file's bytes, of the environment and of flags; the later wins.
    ///
    /// - Parameter defaults: the settings that no source has, and the known keys.
    package init(
        defaults: Self, file: [UInt8]? = nil, named name: String = Configuration.defaultFile,
        environment: [String: String] = [:], flags: [ConfigurationFlag] = []
    ) throws(ConfigurationError) {
        var reader = ConfigurationReader(defaults)
        if let file { reader.read(file: file, named: name) }
        self = try reader.finish(environment: environment, flags: flags)
    }

    /// Reads the sources over the default of every setting.
    package init(
        file: [UInt8]? = nil, named name: String = Configuration.defaultFile, environment: [String: String] = [:],
        flags: [ConfigurationFlag] = []
    ) throws(ConfigurationError) {
        let defaults: Self = .init()
        try self.init(defaults: defaults, file: file, named: name, environment: environment, flags: flags)
    }
}

extension ConfigurationRoot {
    /// Every key with the value that counts, in the shape and order of the file, with `***` for secrets.
    package var json: JSONValue { json { $0.shownValue(in: self) } }

    private func json(_ value: (ConfigurationKey<Self>) -> JSONValue) -> JSONValue {
        var document = JSONObject()
        for key in keys {
            document.set(key.path.split(separator: ".").map(String.init)[...], to: value(key))
        }
        for path in optionalSections {
            let names = path.split(separator: ".").map(String.init)
            let section = names.reduce(JSONValue.object(document)) { $0[$1] ?? .null }
            if section.asObject?.allSatisfy(\.value.isNull) == true { document.set(names[...], to: .null) }
        }
        return .object(document)
    }

    /// A file with these values, as `check-config` prints it, without the last line break.
    package var document: String { json.indented }

    /// Shows the settings themselves: one whose default depends on others is null.
    package var settingsDocument: String { json { $0.shownSetting(in: self) }.indented }

    /// The table of docs/reference/configuration.md: key, default, allowed values, meaning.
    package var markdownTable: String {
        let rows = keys.map { key in
            "| `\(key.path)` | \(key.defaultText) | \(key.expected.inTableCell) | \(key.summary.inTableCell) |\n"
        }
        return "| key | default | allowed | meaning |\n|---|---|---|---|\n" + rows.joined()
    }
}

extension JSONObject {
    /// Sets the value at a path of names, and makes the objects on the way.
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
