/// The declaration of a command. Parsing and help follow from it.
struct CommandDeclaration: Sendable {
    let name: String
    /// The name of its argument in the help; nil if it takes only flags.
    var argument: String?
    let summary: String
    let flags: [CommandFlag]
    let invocation: @Sendable (FlagValues) throws(UsageError) -> Invocation

    static let all =
        [
            CommandDeclaration(
                name: "serve", summary: "serve sessions over HTTP until SIGTERM or SIGINT",
                flags: [.config, .host, .port, .set]
            ) { values throws(UsageError) in
                .serve(
                    configurationFile: values[.config],
                    flags: values.settings([(.host, "http.host"), (.port, "http.port")]) + (try values.assignments()))
            },
            CommandDeclaration(
                name: "check-config",
                summary: "print the effective configuration with masked secrets, or its errors",
                flags: [.config, .set]
            ) { values throws(UsageError) in
                .checkConfiguration(file: values[.config], flags: try values.assignments())
            },
            CommandDeclaration(
                name: "upstream", summary: "serve only the demo animal and auth services", flags: [.upstreamPort]
            ) { values throws(UsageError) in
                guard let text = values[.upstreamPort] else { return .upstream(port: Invocation.upstreamPort) }
                guard let port = Int(text), (0...65535).contains(port) else {
                    throw .wrong("--port must be a whole number from 0 to 65535, not '\(text)'")
                }
                return .upstream(port: port)
            },
            CommandDeclaration(
                name: "healthcheck", summary: "exit with 0 if a running server is ready, for HEALTHCHECK",
                flags: [.config, .url]
            ) { values in .healthcheck(configurationFile: values[.config], url: values[.url]) },
        ] + storage

    /// The command line in the help: `serve [--config FILE]`.
    var usage: String {
        let flags = flags.map { flag in
            let text = "\(flag.name) \(flag.placeholder)"
            return flag.isRequired ? text : "[\(text)]" + (flag.isRepeatable ? "…" : "")
        }
        return ([name] + [argument].compactMap(\.self) + flags).joined(separator: " ")
    }
}

/// A flag with a value that a command takes.
struct CommandFlag: Sendable {
    let name: String
    /// The name of the value in the help.
    let placeholder: String
    let summary: String
    /// True if the command needs it.
    var isRequired = false
    /// True if every occurrence counts, not only the last.
    var isRepeatable = false

    static let config = CommandFlag(
        name: "--config", placeholder: "FILE", summary: "read this file instead of \(Configuration.defaultFile)")
    static let host = CommandFlag(name: "--host", placeholder: "H", summary: "listen on this address (http.host)")
    static let port = CommandFlag(
        name: "--port", placeholder: "N", summary: "listen on this port (http.port); 0 takes a free one")
    static let set = CommandFlag(
        name: "--set", placeholder: "KEY=VALUE", summary: "set any key, such as limits.actions.rate=10; repeatable",
        isRepeatable: true)
    static let upstreamPort = CommandFlag(
        name: "--port", placeholder: "N",
        summary: "listen on this port instead of \(Invocation.upstreamPort); 0 takes a free one")
    static let url = CommandFlag(
        name: "--url", placeholder: "URL", summary: "ask this server instead of the configured one")
}

/// The flags and the argument of one command line. If a flag is given twice, the later value counts, unless the flag is
/// repeatable.
struct FlagValues {
    private var texts: [String: [String]] = [:]
    /// The word that is neither a flag nor a flag's value.
    private var argument: String?

    subscript(flag: CommandFlag) -> String? {
        texts[flag.name]?.last
    }

    /// The value of a flag that the command needs.
    func required(_ flag: CommandFlag) throws(UsageError) -> String {
        guard let text = self[flag] else { throw .wrong("\(flag.name) \(flag.placeholder) is missing") }
        return text
    }

    /// The argument that the command needs.
    ///
    /// - Parameter placeholder: its name in the help.
    func requiredArgument(_ placeholder: String) throws(UsageError) -> String {
        guard let argument else { throw .wrong("\(placeholder) is missing") }
        return argument
    }

    /// The given flags as settings of configuration keys.
    func settings(_ keys: [(flag: CommandFlag, path: String)]) -> [ConfigurationFlag] {
        keys.compactMap { flag, path in
            self[flag].map { ConfigurationFlag(name: flag.name, path: path, text: $0) }
        }
    }

    /// The settings of all `--set KEY=VALUE`.
    func assignments() throws(UsageError) -> [ConfigurationFlag] {
        var flags: [ConfigurationFlag] = []
        for text in texts[CommandFlag.set.name] ?? [] {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                // The value may be a secret.
                throw .wrong("--set needs a key and a value: --set KEY=VALUE")
            }
            flags.append(
                ConfigurationFlag(
                    name: "--set", path: String(text[..<equals]), text: String(text[text.index(after: equals)...])))
        }
        return flags
    }

    /// Reads `--flag value` and `--flag=value`. Nil if a word asks for help.
    init?(_ words: ArraySlice<String>, of command: CommandDeclaration) throws(UsageError) {
        var rest = words
        while let word = rest.popFirst() {
            if Invocation.isHelp(word) { return nil }
            if command.argument != nil, argument == nil, !word.hasPrefix("--") {
                argument = word
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? word
            guard let flag = command.flags.first(where: { $0.name == name }) else {
                throw Self.unknown(name, of: command)
            }
            let value = parts.count == 2 ? String(parts[1]) : rest.popFirst { !$0.hasPrefix("--") }
            guard let value, !value.isEmpty else {
                throw .wrong("\(flag.name) needs a value: \(flag.name) \(flag.placeholder)")
            }
            texts[flag.name, default: []].append(value)
        }
    }

    private static func unknown(_ name: String, of command: CommandDeclaration) -> UsageError {
        guard name.hasPrefix("-") else { return .wrong("'\(command.name)' takes no argument '\(name)'") }
        let hint = Invocation.nearest(to: name, in: command.flags.map(\.name) + ["--help"])
        return .wrong("'\(command.name)' has no flag '\(name)'; the nearest is '\(hint)'")
    }
}

extension ArraySlice<String> {
    /// Removes the first word if it satisfies the condition.
    fileprivate mutating func popFirst(where condition: (String) -> Bool) -> String? {
        first.map(condition) == true ? popFirst() : nil
    }
}
