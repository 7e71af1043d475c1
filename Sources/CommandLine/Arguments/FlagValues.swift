import StorehouseServer

/// The flags and the arguments of one command line. If a flag is given twice, the later value counts, unless the flag is
/// repeatable.
struct FlagValues {
    private let command: CommandSyntax
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

    /// The value of a flag that the command needs, or of the argument that it stands for.
    func required(_ flag: CommandFlag) throws(UsageError) -> String {
        if let text = self[flag] { return text }
        let argument = command.arguments.first { $0.flag?.name == flag.name }
        throw .wrong(
            argument.map { "\($0.placeholder) is missing: an argument, or \(flag.text)" } ?? "\(flag.text) is missing")
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
        self.command = command
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                for word in rest { try add(word) }
                break
            }
            if Self.isHelp(word) { return nil }
            if isArgument(word) { try add(word) } else { try read(word, &rest) }
        }
        try giveArgumentsToFlags()
    }

    /// Takes arguments for the values of flags that they stand for and that are not given. The other arguments stay.
    private mutating func giveArgumentsToFlags() throws(UsageError) {
        let flags = command.arguments.compactMap(\.flag)
        guard !flags.isEmpty else { return }
        let open = command.arguments.filter { $0.flag.map { !has($0) } ?? true }
        guard arguments.count <= open.count else {
            let taken = flags.filter(has).map { $0.name }.joined(separator: " and ")
            throw .wrong("'\(arguments[open.count])' and \(taken) contradict each other; give one of them")
        }
        let words = zip(open, arguments)
        arguments = words.filter { $0.0.flag == nil }.map(\.1)
        for (argument, word) in words { if let flag = argument.flag { given.append((flag.name, word)) } }
    }

    static func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }

    /// A session id may begin with one dash, and `-` is standard input.
    private func isArgument(_ word: String) -> Bool {
        !word.hasPrefix("-") || !word.hasPrefix("--") && command.arguments.contains { $0.flag == nil }
    }

    private mutating func add(_ word: String) throws(UsageError) {
        guard arguments.count < command.arguments.count || command.arguments.last?.isRepeatable == true else {
            throw .wrong("'\(command.name)' takes no argument '\(word)'")
        }
        arguments.append(word)
    }

    private mutating func read(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? word
        guard let flag = command.flags.first(where: { $0.name == name }) else {
            let hint = (command.flags.map(\.name) + ["--help"]).hint(for: name)
            throw .wrong("'\(command.name)' has no flag '\(name)'\(hint)")
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
