package import ServerWiring
package import StoreHosting
import StorehouseServer

/// Scripts with which a shell completes the commands, flags and values of the command line.
package struct CompletionScript: Sendable {
    package enum Shell: String, Sendable, CaseIterable {
        case bash, zsh, fish
    }

    /// A key of the configuration, and its values if they are few words.
    struct Setting: Sendable {
        let key: String
        let values: [String]
    }

    private let program: String
    private let kinds: [String]
    /// The types of the actions that clients may send.
    private let actions: [String]
    private let settings: [Setting]

    /// - Parameters:
    ///   - program: the name of the program to complete.
    ///   - kinds: the store kinds that it hosts.
    ///   - configuration: has the keys that it reads.
    package init(program: String, kinds: [StoreKind], _ configuration: StorehouseConfiguration) {
        self.program = program
        self.kinds = kinds.map(\.name)
        var known: Set<String> = []
        actions = kinds.flatMap(\.actions).filter { $0.audience != .internal }.map(\.type)
            .filter { known.insert($0).inserted }
        let names = self.kinds
        settings = configuration.keys.map { key in
            Setting(key: key.path, values: key.path == "sessions.defaultStore" ? names : key.words)
        }
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

    private var keys: String { settings.map(\.key).joined(separator: " ") }

    private var chosenSettings: [Setting] { settings.filter { !$0.values.isEmpty } }

    /// The words to offer; nil if they are not known.
    private func words(_ values: CompletedValues) -> String? {
        switch values {
        case .none, .files, .settings: nil
        case .words(let words): words.joined(separator: " ")
        case .kinds: kinds.joined(separator: " ")
        case .actions: actions.joined(separator: " ")
        case .commands: commands.map(\.name).joined(separator: " ")
        }
    }
}

extension CompletionScript {
    private var bash: String {
        let names = commands.map(\.name) + ["--help", "--version"]
        let withValues = commands.flatMap { command in
            command.flags.filter { $0.placeholder != nil }.map { (name: "'\(command.name) \($0.name)'", $0.values) }
        }
        let values = withValues.map { "        \($0.name)) \(bashReply($0.1)); return ;;" }
        let flags = commands.map { command in
            let names = command.flags.map(\.name) + ["--help"]
            return "            \(command.name)) \(bashReply(.words(names))) ;;"
        }
        let arguments = commands.flatMap { command in
            command.arguments.enumerated().filter { $0.element.completed != .none }.map { index, argument in
                "        '\(command.name) \(index)') \(bashReply(argument.completed)) ;;"
            }
        }
        let choices = chosenSettings.map { "        \($0.key)) \(bashReply(.words($0.values))) ;;" }
        return Template.text(
            PackageResources.completion_bash,
            [
                ("_my_hall", function), ("my-hall", program), ("# the names of the commands", bashReply(.words(names))),
                ("        # the values of the flags", values.joined(separator: "\n")),
                ("            # the flags that have values", bashSkips(withValues.map(\.name))),
                ("            # the flags", flags.joined(separator: "\n")),
                ("        # the arguments", arguments.joined(separator: "\n")),
                ("# the keys of the configuration", #"\#(function)_reply -S = -W '\#(keys)'"#),
                ("        # the values of the keys", choices.joined(separator: "\n")),
            ])
    }

    /// Steps over the value of a flag that is a word of its own.
    private func bashSkips(_ names: [String]) -> String {
        "            " + names.joined(separator: " | ") + ") index=$((index + 1)) ;;"
    }

    private func bashReply(_ values: CompletedValues) -> String {
        switch values {
        case .files: function + "_files"
        case .settings: function + "_settings"
        default: words(values).map { "\(function)_reply -W '\($0)'" } ?? ":"
        }
    }
}

extension CompletionScript {
    private var zsh: String {
        let names = commands.map { "        '\($0.name):\(zshText($0.summary))'" }
        let cases = commands.map { command in
            let flags = command.flags.map { flag in
                let value = flag.placeholder.map { ":\(zshText($0)):\(zshAction(flag.values))" } ?? ""
                let name = (flag.isRepeatable ? "*" : "") + flag.name + (flag.placeholder == nil ? "" : "=")
                return "'\(name)[\(zshText(flag.summary))]\(value)'"
            }
            let arguments = command.arguments.map { argument in
                "'\(argument.isRepeatable ? "*" : ""):\(zshText(argument.placeholder)):\(zshAction(argument.completed))'"
            }
            let specs = (flags + ["'--help[explain this command]'"] + arguments).map { " \\\n                \($0)" }
            return "        \(command.name))\n            _arguments\(specs.joined()) ;;"
        }
        let choices = chosenSettings.map { "        \($0.key)) compadd -- \($0.values.joined(separator: " ")) ;;" }
        return Template.text(
            PackageResources.completion_zsh,
            [
                ("_my_hall", function), ("my-hall", program), ("        # the commands", names.joined(separator: "\n")),
                ("        # the arguments of the commands", cases.joined(separator: "\n")),
                ("# the keys of the configuration", "keys=(\(keys))"),
                ("        # the values of the keys", choices.joined(separator: "\n")),
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
        switch values {
        case .files: "_files"
        case .settings: function + "_settings"
        default: words(values).map { "(\($0))" } ?? " "
        }
    }
}

extension CompletionScript {
    private var fish: String {
        let names = commands.map {
            "complete -c \(program) -n __fish_use_subcommand -a \($0.name) -d \(fishText($0.summary))"
        }
        let flags = commands.flatMap { command -> [String] in
            let condition = "__fish_seen_subcommand_from \(command.name)"
            let start = "complete -c \(program) -n '\(condition)'"
            let flags = command.flags.map { flag in
                let value = flag.placeholder == nil ? "" : fishValues(flag.values)
                return "\(start) -l \(flag.name.dropFirst(2))\(value) -d \(fishText(flag.summary))"
            }
            let arguments = command.arguments.enumerated().compactMap { index, argument -> String? in
                // Behind the program, the command and the arguments before it.
                let place = index == 0 ? "" : "; and test (count (commandline -opc)) -ge \(index + 2)"
                let start = "complete -c \(program) -n '\(condition)\(place)'"
                if argument.completed == .files { return "\(start) -F" }
                return words(argument.completed).map { "\(start) -a \(fishText($0))" }
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
        switch values {
        case .files: " -r -F"
        case .settings: " -x -a \(fishText(fishSettings))"
        default: " -x" + (words(values).map { " -a \(fishText($0))" } ?? "")
        }
    }

    /// Each key with `=`, or with each of its values.
    private var fishSettings: String {
        settings.flatMap { setting in (setting.values.isEmpty ? [""] : setting.values).map { "\(setting.key)=\($0)" } }
            .joined(separator: " ")
    }

    private func fishText(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
