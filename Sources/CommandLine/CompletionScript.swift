/// Scripts with which a shell completes the commands, flags and values of the command line.
package struct CompletionScript: Sendable {
    package enum Shell: String, Sendable, CaseIterable {
        case bash, zsh, fish
    }

    private let program: String
    private let kinds: [String]

    /// - Parameters:
    ///   - program: the name of the program to complete.
    ///   - kinds: the store kinds that it hosts.
    package init(program: String, kinds: [String]) {
        self.program = program
        self.kinds = kinds
    }

    /// The script, without the last line break.
    package func text(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private var commands: [CommandDeclaration] { CommandDeclaration.all }

    /// The name of the function that completes.
    private var function: String {
        "_" + String(program.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    /// The words to offer; nil if they are not known.
    private func words(_ values: CompletedValues) -> String? {
        switch values {
        case .none, .files: nil
        case .words(let words): words.joined(separator: " ")
        case .kinds: kinds.joined(separator: " ")
        case .commands: commands.map(\.name).joined(separator: " ")
        }
    }
}

extension CompletionScript {
    private var bash: String {
        let names = commands.map(\.name) + ["--help", "--version"]
        let values = commands.flatMap { command in
            command.flags.filter { $0.placeholder != nil }.map { flag in
                "        '\(command.name) \(flag.name)') \(bashReply(flag.values)); return ;;"
            }
        }
        let flags = commands.map { command in
            let names = command.flags.map(\.name) + ["--help"]
            return "            \(command.name)) \(bashReply(.words(names))) ;;"
        }
        let arguments = commands.compactMap { command -> String? in
            guard let argument = command.arguments.first(where: { $0.values != .none }) else { return nil }
            return "            \(command.name)) \(bashReply(argument.values)) ;;"
        }
        return Template.text(
            PackageResources.completion_bash,
            [
                ("_my_hall", function), ("my-hall", program), ("# the names of the commands", bashReply(.words(names))),
                ("        # the values of the flags", values.joined(separator: "\n")),
                ("            # the flags", flags.joined(separator: "\n")),
                ("            # the arguments", arguments.joined(separator: "\n")),
            ])
    }

    private func bashReply(_ values: CompletedValues) -> String {
        if values == .files { return #"compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$word"))"# }
        guard let words = words(values) else { return ":" }
        return #"COMPREPLY=($(compgen -W '\#(words)' -- "$word"))"#
    }
}

extension CompletionScript {
    private var zsh: String {
        let names = commands.map { "        '\($0.name):\(zshText($0.summary))'" }
        let cases = commands.map { command in
            let flags = command.flags.map { flag in
                let value = flag.placeholder.map { ":\(zshText($0)):\(zshAction(flag.values))" } ?? ""
                let name = (flag.isRepeatable ? "*" : "") + flag.name
                return "'\(name)[\(zshText(flag.summary))]\(value)'"
            }
            let arguments = command.arguments.map { argument in
                "'\(argument.isRepeatable ? "*" : ""):\(zshText(argument.placeholder)):\(zshAction(argument.values))'"
            }
            let specs = (flags + ["'--help[explain this command]'"] + arguments).map { " \\\n                \($0)" }
            return "        \(command.name))\n            _arguments\(specs.joined()) ;;"
        }
        return Template.text(
            PackageResources.completion_zsh,
            [
                ("_my_hall", function), ("my-hall", program), ("        # the commands", names.joined(separator: "\n")),
                ("        # the arguments of the commands", cases.joined(separator: "\n")),
            ])
    }

    /// In a specification of `_arguments`, brackets and colons have a meaning.
    private func zshText(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "[", "]", ":", "\\": result += "\\\(character)"
            case "'": result += #"'\''"#
            default: result.append(character)
            }
        }
    }

    private func zshAction(_ values: CompletedValues) -> String {
        values == .files ? "_files" : words(values).map { "(\($0))" } ?? " "
    }
}

extension CompletionScript {
    private var fish: String {
        let names = commands.map {
            "complete -c \(program) -n __fish_use_subcommand -a \($0.name) -d \(fishText($0.summary))"
        }
        let flags = commands.flatMap { command -> [String] in
            let start = "complete -c \(program) -n '__fish_seen_subcommand_from \(command.name)'"
            let flags = command.flags.map { flag in
                let value = flag.placeholder == nil ? "" : fishValues(flag.values)
                return "\(start) -l \(flag.name.dropFirst(2))\(value) -d \(fishText(flag.summary))"
            }
            let arguments = command.arguments.compactMap { argument -> String? in
                if argument.values == .files { return "\(start) -F" }
                return words(argument.values).map { "\(start) -a \(fishText($0))" }
            }
            return flags + ["\(start) -l help -d 'explain this command'"] + arguments
        }
        return
            ([
                "# Completes \(program) in fish: \(program) completion fish > ~/.config/fish/completions/\(program).fish",
                "complete -c \(program) -f",
                "complete -c \(program) -n __fish_use_subcommand -l help -d 'list the commands'",
                "complete -c \(program) -n __fish_use_subcommand -l version -d 'print the version'",
            ] + names + flags).joined(separator: "\n")
    }

    private func fishValues(_ values: CompletedValues) -> String {
        values == .files ? " -r -F" : " -x" + (words(values).map { " -a \(fishText($0))" } ?? "")
    }

    private func fishText(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
