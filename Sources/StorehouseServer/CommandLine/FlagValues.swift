/// The flags of one command line; of a flag given twice the later value stands.
struct FlagValues {
    private var texts: [String: String] = [:]
    /// The word that is no flag's, where the command takes one.
    private var argument: String?

    subscript(flag: CommandFlag) -> String? {
        texts[flag.name]
    }

    /// The value of a flag that must be given.
    func needed(_ flag: CommandFlag) throws(UsageError) -> String {
        guard let text = self[flag] else { throw .wrong("\(flag.name) \(flag.placeholder) is missing") }
        return text
    }

    /// The word that must be given besides flags.
    ///
    /// - Parameter placeholder: what stands for it in the help.
    func neededArgument(_ placeholder: String) throws(UsageError) -> String {
        guard let argument else { throw .wrong("\(placeholder) is missing") }
        return argument
    }

    /// The flags that were given, as settings of keys.
    func settings(_ keys: [(flag: CommandFlag, path: String)]) -> [ConfigurationFlag] {
        keys.compactMap { flag, path in
            self[flag].map { ConfigurationFlag(name: flag.name, path: path, text: $0) }
        }
    }

    /// Reads `--flag value` and `--flag=value`; nil where help is asked for.
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
            texts[flag.name] = value
        }
    }

    private static func unknown(_ name: String, of command: CommandDeclaration) -> UsageError {
        guard name.hasPrefix("-") else { return .wrong("'\(command.name)' does not know what to do with '\(name)'") }
        let hint = Invocation.nearest(to: name, in: command.flags.map(\.name) + ["--help"])
        return .wrong("'\(command.name)' has no flag '\(name)'; the nearest is '\(hint)'")
    }
}

extension ArraySlice<String> {
    /// Removes the first word if it is as wanted.
    fileprivate mutating func popFirst(where isWanted: (String) -> Bool) -> String? {
        first.map(isWanted) == true ? popFirst() : nil
    }
}
