import HTTP
import JSON
import Observability

/// Reads the sources of settings one over the other, and collects what is wrong with them.
struct ConfigurationReader<Root: ConfigurationRoot> {
    var root: Root
    private var problems: [ConfigurationProblem] = []
    /// Whether the settings of the file are unknown.
    private var lacksFile = false
    let index: ConfigurationKeyIndex<Root>

    init(_ defaults: Root) {
        root = defaults
        index = ConfigurationKeyIndex(defaults)
    }

    mutating func read(file bytes: [UInt8], named name: String) {
        do throws(JSONSyntaxError) {
            let document = try JSONValue(parsing: bytes)
            guard let object = document.asObject else {
                return report(unreadable: name, "must be a JSON object")
            }
            read(object, prefix: "", from: .file(name))
        } catch {
            report(unreadable: name, "is not JSON: \(error.description(in: bytes))")
        }
    }

    private mutating func read(_ section: JSONObject, prefix: String, from source: ConfigurationProblem.Source) {
        for (name, value) in section {
            let path = prefix + name
            if let key = index.key(at: path), !name.contains(".") {
                set(key, value, from: source)
            } else if !index.isSection(path) || name.contains(".") {
                report(path, source, Self.unknownKey(similar: index.similar(to: path, value: value), name))
            } else {
                set(section: path, value, from: source)
            }
        }
    }

    private mutating func set(section path: String, _ value: JSONValue, from source: ConfigurationProblem.Source) {
        if let members = value.asObject {
            read(members, prefix: path + ".", from: source)
        } else if !index.isOptionalSection(path) {
            report(path, source, "must be an object")
        } else if value.isNull {
            for key in index.keys(inSection: path) { set(key, .null, from: source) }
        } else {
            let names = index.keys(inSection: path).map { $0.path.dropFirst(path.count + 1) }
            report(path, source, "must be an object with \(names.joined(separator: " and ")), or null")
        }
    }

    /// Sets a section from the text of a variable or a flag. An empty text is null, as for single values.
    mutating func set(section path: String, text: String, from source: ConfigurationProblem.Source) {
        let value = text.isEmpty ? .null : (try? JSONValue(parsing: text)) ?? .string(text)
        set(section: path, value, from: source)
    }

    static func unknownKey(similar: String?, _ name: String = "") -> String {
        guard let similar else { return "is not a known key; 'check-config' prints all keys" }
        return "is not a known key; the nearest is \(similar)"
            + (name.contains(".") ? ", with each section written as an object of its own" : "")
    }

    private mutating func read(flags: [ConfigurationFlag]) {
        for flag in flags {
            let source = ConfigurationProblem.Source.flag(flag.name)
            if let key = index.key(at: flag.path) {
                let value = key.json(ofText: flag.text)
                if key.hides(value) { note(key, isVisibleIn: flag) }
                set(key, value, from: source)
            } else if index.isOptionalSection(flag.path) {
                set(section: flag.path, text: flag.text, from: source)
            } else {
                report(flag.path, source, Self.unknownKey(similar: index.similar(to: flag.path, value: .null)))
            }
        }
    }

    mutating func report(unreadable file: String, _ detail: String) {
        lacksFile = true
        report(nil, .file(file), detail)
    }

    /// Reads the environment and the flags over the file.
    mutating func finish(
        environment: [String: String], flags: [ConfigurationFlag]
    ) throws(ConfigurationError) -> Root {
        readCredentials(in: environment[credentialsDirectory])
        read(environment: environment)
        read(flags: flags)
        // A value that could not be read is reported once, not again for its consequences.
        let reported = Set(problems.compactMap(\.path))
        if !lacksFile { problems += root.conflicts.filter { $0.path.map { !reported.contains($0) } ?? true } }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return root
    }

    mutating func set(
        _ key: ConfigurationKey<Root>, _ value: JSONValue, from source: ConfigurationProblem.Source
    ) {
        guard let detail = key.set(value, in: &root) else { return }
        report(key.path, source, detail)
    }

    mutating func report(_ path: String?, _ source: ConfigurationProblem.Source?, _ detail: String) {
        problems.append(ConfigurationProblem(path: path, source: source, detail: detail))
    }
}

extension JSONSyntaxError {
    /// The error with the line and the column, both from 1. A column counts characters, as editors do.
    fileprivate func description(in text: [UInt8]) -> String {
        let before = text.prefix(offset)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = String(decoding: before[start...], as: UTF8.self).count + 1
        return "\(kind) at line \(line), column \(column)"
    }
}

/// One thing that is wrong with a configuration.
package struct ConfigurationProblem: Sendable, Hashable {
    /// The place of a value.
    package enum Source: Sendable, Hashable {
        /// A configuration file.
        case file(String)
        /// A variable of the environment.
        case variable(String)
        /// A flag of the command line.
        case flag(String)
    }

    /// The path of the key, known or not; nil if the problem is a whole file.
    package let path: String?
    /// Nil if values of different sources conflict.
    package let source: Source?
    /// Tells the fault.
    package let detail: String

    package init(path: String?, source: Source? = nil, detail: String) {
        self.path = path
        self.source = source
        self.detail = detail
    }
}

extension ConfigurationProblem: CustomStringConvertible {
    /// One line, with control characters escaped, and without the passwords of URLs.
    package var description: String {
        let place =
            switch (path, source) {
            case (let path?, let source?): "\(path) (\(source.name))"
            case (let path?, nil): path
            case (nil, let source): source?.name ?? "configuration"
            }
        return "\(place): \(detail)".withoutUserInfo.escapedForOneLine
    }
}

extension ConfigurationProblem.Source {
    fileprivate var name: String {
        switch self {
        case .file(let name), .variable(let name), .flag(let name): name
        }
    }
}

/// All problems of a configuration, not only the first.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// At least one.
    package let problems: [ConfigurationProblem]

    package init(problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    /// One line for each problem.
    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
