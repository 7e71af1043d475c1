import Observability
import StoreHosting
import Stores

/// A parsed command line.
package enum Invocation: Sendable, Hashable {
    case serve(configurationFile: String?, flags: [ConfigurationFlag])
    case checkConfiguration(file: String?, flags: [ConfigurationFlag])
    case upstream(port: Int)
    /// - url: the server to ask; nil for the one that the configuration describes.
    case healthcheck(configurationFile: String?, url: String?)
    case storage(StorageCommand)
    case version
    case help

    /// The default port of `storehouse upstream`.
    package static let upstreamPort = 8081

    /// Reads the words after the program's name. Values of settings are checked when the configuration is loaded.
    package static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        guard let first = arguments.first else { throw UsageError(description: helpText) }
        if isHelp(first) || first == "help" { return .help }
        if first == "--version" { return try parseVersion(arguments) }
        guard let command = CommandDeclaration.all.first(where: { $0.name == first }) else { throw unknown(first) }
        guard let values = try FlagValues(arguments.dropFirst(), of: command) else { return .help }
        return try command.invocation(values)
    }

    static func isHelp(_ word: String) -> Bool {
        word == "--help" || word == "-h"
    }

    static func nearest(to word: String, in candidates: [String]) -> String {
        let nearest = candidates.map { (word: $0, distance: editDistance($0, word)) }.min { $0.distance < $1.distance }
        return candidates.first { $0.hasPrefix(word) } ?? nearest?.word ?? ""
    }

    private static func parseVersion(_ arguments: [String]) throws(UsageError) -> Invocation {
        guard arguments.count == 1 else { throw .wrong("nothing can follow --version") }
        return .version
    }

    private static func unknown(_ word: String) -> UsageError {
        let isFlag = word.hasPrefix("-")
        let hint = nearest(to: word, in: isFlag ? ["--help", "--version"] : CommandDeclaration.all.map(\.name))
        return .wrong("there is no \(isFlag ? "flag" : "command") '\(word)'; the nearest is '\(hint)'")
    }
}

extension Invocation {
    /// The output of `--help`, without the last line break.
    package static var helpText: String {
        """
        storehouse keeps one store per session and serves it over HTTP: clients read its state, send actions that change
        it, and follow every change as a stream of events.

        Usage:
        \(commands)
          storehouse --version | --help

        A flag's value may also be written as --flag=value. Exit codes: 0 success, 1 failure, 2 wrong command line or
        configuration.

        Configuration: a JSON file, then the environment, then flags; the later wins. Without --config the file is
        \(Configuration.defaultFile) in the working directory, if it exists. The environment variable of a key is made
        from its path: http.maxBodyBytes is STOREHOUSE_HTTP_MAX_BODY_BYTES; lists are separated by commas. --set writes
        values in the same way. 'storehouse check-config' prints every key. Errors are reported before the server
        listens.

        SIGTERM or SIGINT drains the server within http.drainTimeout. A second signal ends it at once.

        Example:
          storehouse serve --port 8080 &
          curl -s -X POST localhost:8080/sessions                      creates a session; the answer has its ID
          curl -N localhost:8080/sessions/ID/events                    follows the changes of its state
          curl -d '{"type":"counter/increment","payload":{"by":2}}' localhost:8080/sessions/ID/actions
          curl -d '{"type":"animal/fetchAnimal"}' localhost:8080/sessions/ID/actions
          curl -s localhost:8080/stores                                lists all actions with an example of each
        """
    }

    private static var commands: String {
        CommandDeclaration.all.map { command in
            let flags = command.flags.map { flag in
                "      \(column("\(flag.name) \(flag.placeholder)", width: 16))\(flag.summary)"
            }
            return (["  storehouse \(command.usage)", "      \(command.summary)"] + flags).joined(separator: "\n")
        }
        .joined(separator: "\n")
    }

    private static func column(_ text: String, width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 1))
    }
}

/// An error in the command line. The exit code is 2.
package struct UsageError: Error, Sendable, Hashable {
    /// The text for standard error.
    package let description: String
}

extension UsageError: CustomStringConvertible {}

extension UsageError {
    /// An error of one line, with a pointer to the help.
    static func wrong(_ detail: String) -> UsageError {
        UsageError(description: "storehouse: \(detail.escapedForOneLine)\nTry: storehouse --help")
    }
}
