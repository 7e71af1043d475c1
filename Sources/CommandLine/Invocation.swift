package import StorehouseServer

/// A parsed command line.
package enum Invocation: Sendable, Hashable {
    case serve(configurationFile: String?, flags: [ConfigurationFlag], printsAdminToken: Bool)
    case checkConfiguration(file: String?, flags: [ConfigurationFlag])
    case upstream(port: Int, configurationFile: String?, flags: [ConfigurationFlag])
    case healthcheck(HealthcheckCommand)
    case storage(StorageCommand, inJSON: Bool)
    case watch(WatchCommand)
    case session(SessionCommand)
    case types(kind: String, language: TypeLanguage)
    case initialize(InitCommand)
    case token(TokenCommand)
    case completion(CompletionScript.Shell)
    case version(inJSON: Bool)
    /// - command: the command to explain; nil for the list of all.
    case help(command: String?)
    /// - command: the command of the manual page; nil for that of the program.
    case manual(command: String?)

    /// The default port of `storehouse upstream`.
    package static let upstreamPort = 8081

    /// The name of this program in its messages: the name of its file.
    package static var programName: String {
        let path = CommandLine.arguments.first ?? ""
        return path.split(separator: "/").last.map(String.init) ?? Self.defaultName
    }

    package static let defaultName = "storehouse"

    /// Reads the words after the program's name. Values of settings are checked when the configuration is loaded.
    ///
    /// - Parameters:
    ///   - program: the name of the program in error messages.
    ///   - environment: the variables of the process.
    package static func parse(
        _ arguments: [String], program: String = defaultName, environment: [String: String] = [:]
    ) throws(UsageError) -> Invocation {
        guard var first = arguments.first else {
            throw UsageError(description: Help.commands(of: program))
        }
        if FlagValues.isHelp(first) { first = "help" }
        if first == "--version" { first = "version" }
        var command: CommandDeclaration?
        do throws(UsageError) {
            guard let found = CommandDeclaration.named(first) else { throw unknown(first) }
            command = found
            guard var values = try FlagValues(arguments.dropFirst(), of: found.syntax) else {
                return .help(command: first)
            }
            values.environment = environment
            return try found.invocation(values)
        } catch {
            let help = [program] + [command?.name].compactMap(\.self) + ["--help"]
            throw UsageError(description: "\(program): \(error)\nTry: \(help.joined(separator: " "))")
        }
    }

    static func unknown(_ word: String) -> UsageError {
        let isFlag = word.hasPrefix("-")
        let hint = (isFlag ? ["--help", "--version"] : CommandDeclaration.all.map(\.name)).hint(for: word)
        return .wrong("there is no \(isFlag ? "flag" : "command") '\(word)'\(hint)")
    }
}
