import StorehouseServer

/// The flags and the arguments of one command line. If a flag is given twice, the later value counts, unless the flag is
/// repeatable.
struct FlagValues {
    /// In the order of the command line.
    private var given: [(name: String, text: String)] = []
    /// The words that are neither a flag nor a flag's value.
    private(set) var arguments: [String] = []
    /// The variables of the process.
    var environment: [String: String] = [:]

    subscript(flag: CommandFlag) -> String? {
        given.last { $0.name == flag.name }?.text
    }

    /// Every value of a repeatable flag.
    func all(_ flag: CommandFlag) -> [String] {
        given.filter { $0.name == flag.name }.map(\.text)
    }

    /// Whether a flag is given.
    func has(_ flag: CommandFlag) -> Bool {
        self[flag] != nil
    }

    /// The value of a flag that the command needs.
    func required(_ flag: CommandFlag) throws(UsageError) -> String {
        guard let text = self[flag] else { throw .wrong("\(flag.text) is missing") }
        return text
    }

    func argument(_ index: Int) -> String? {
        index < arguments.count ? arguments[index] : nil
    }

    /// An argument that the command needs.
    ///
    /// - Parameter placeholder: its name in the help.
    func required(_ index: Int, _ placeholder: String) throws(UsageError) -> String {
        guard let argument = argument(index) else { throw .wrong("\(placeholder) is missing") }
        return argument
    }

    /// A port number; nil if the flag is not given.
    func port(_ flag: CommandFlag) throws(UsageError) -> Int? {
        guard let text = self[flag] else { return nil }
        guard let port = Int(text), (0...65535).contains(port) else {
            throw .wrong("\(flag.name) must be a whole number from 0 to 65535, not '\(text)'")
        }
        return port
    }

    /// The settings of all `--set KEY=VALUE`, and of other flags that set a key, in the order of the command line.
    func settings(_ keys: [(flag: CommandFlag, path: String)] = []) throws(UsageError) -> [ConfigurationFlag] {
        var settings: [ConfigurationFlag] = []
        for (name, text) in given {
            if name == CommandFlag.set.name {
                settings.append(try Self.assignment(text))
            } else if let path = keys.first(where: { $0.flag.name == name })?.path {
                settings.append(ConfigurationFlag(name: name, path: path, text: text))
            }
        }
        return settings
    }

    private static func assignment(_ text: String) throws(UsageError) -> ConfigurationFlag {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            // The value may be a secret.
            throw .wrong("--set needs a key and a value: --set KEY=VALUE")
        }
        return ConfigurationFlag(
            name: "--set", path: String(text[..<equals]), text: String(text[text.index(after: equals)...]))
    }

    /// Reads `--flag value`, `--flag=value` and arguments. Everything behind `--` is an argument. Nil if a word asks for help.
    init?(_ words: ArraySlice<String>, of command: CommandSyntax) throws(UsageError) {
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                for word in rest { try add(word, to: command) }
                return
            }
            if Self.isHelp(word) { return nil }
            if Self.isArgument(word, of: command) { try add(word, to: command) } else { try read(word, &rest, command) }
        }
    }

    static func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }

    /// A session id may begin with one dash, and `-` is standard input.
    private static func isArgument(_ word: String, of command: CommandSyntax) -> Bool {
        !word.hasPrefix("-") || !word.hasPrefix("--") && !command.arguments.isEmpty
    }

    private mutating func add(_ word: String, to command: CommandSyntax) throws(UsageError) {
        guard arguments.count < command.arguments.count || command.arguments.last?.isRepeatable == true else {
            throw .wrong("'\(command.name)' takes no argument '\(word)'")
        }
        arguments.append(word)
    }

    private mutating func read(
        _ word: String, _ rest: inout ArraySlice<String>, _ command: CommandSyntax
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? word
        guard let flag = command.flags.first(where: { $0.name == name }) else {
            let hint = (command.flags.map(\.name) + ["--help"]).nearest(to: name)
            throw .wrong("'\(command.name)' has no flag '\(name)'; the nearest is '\(hint)'")
        }
        guard flag.placeholder != nil else {
            guard parts.count == 1 else { throw .wrong("\(flag.name) takes no value") }
            add("", to: flag)
            return
        }
        let value = parts.count == 2 ? String(parts[1]) : rest.popFirst { !$0.hasPrefix("--") }
        guard let value, !value.isEmpty else {
            throw .wrong("\(flag.name) needs a value: \(flag.text)")
        }
        add(value, to: flag)
    }

    private mutating func add(_ text: String, to flag: CommandFlag) {
        if !flag.isRepeatable { given.removeAll { $0.name == flag.name } }
        given.append((flag.name, text))
    }
}

extension ArraySlice<String> {
    /// Removes the first word if it satisfies the condition.
    fileprivate mutating func popFirst(where condition: (String) -> Bool) -> String? {
        first.map(condition) == true ? popFirst() : nil
    }
}
