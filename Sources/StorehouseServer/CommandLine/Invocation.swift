import Observability
import StoreHosting
import Stores

/// What a command line asks for.
package enum Invocation: Sendable, Hashable {
    case serve(configurationFile: String?, flags: [ConfigurationFlag])
    case checkConfiguration(file: String?)
    case upstream(port: Int)
    /// - url: of the server to ask; nil for the one that the configuration describes.
    case healthcheck(configurationFile: String?, url: String?)
    case storage(StorageCommand)
    case version
    case help

    /// Where `storehouse upstream` listens unless it is told.
    package static let upstreamPort = 8081

    /// Reads the words after the program's name. Values of settings are not checked: loading the configuration does.
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
    /// What `--help` prints, without the last line break.
    package static var helpText: String {
        """
        storehouse hosts stores: state that changes by actions only, over HTTP, watched live.

        Usage:
        \(commands)
          storehouse --version | --help

        A flag's value may also be written as --flag=value.

        Configuration: a JSON file, then the environment, then flags; the later wins. Without --config the file is
        \(Configuration.defaultFile) in the working directory, if it is there. Every key can be set by a variable made
        of its path: http.maxBodyBytes is STOREHOUSE_HTTP_MAX_BODY_BYTES; a list is written with commas. 'storehouse
        check-config' shows every key. What is wrong with it is said before anything listens, with exit code 2.

        Example:
          storehouse serve --port 8080 &
          curl -s -X POST localhost:8080/sessions                      makes a session; take its id
          curl -N localhost:8080/sessions/ID/events                    shows every change of its state
          curl -d '{"type":"counter/increment","payload":{"by":2}}' localhost:8080/sessions/ID/actions
          curl -d '{"type":"animal/fetchAnimal"}' localhost:8080/sessions/ID/actions
          curl -s localhost:8080/stores                                lists all actions, with an example of each
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

/// Why the words of a command line make no sense; the exit code is 2.
package struct UsageError: Error, Sendable, Hashable {
    /// What to print on standard error.
    package let description: String
}

extension UsageError: CustomStringConvertible {}

extension UsageError {
    /// What is wrong, in a line, and where to read more.
    static func wrong(_ detail: String) -> UsageError {
        UsageError(description: "storehouse: \(detail.escapedForOneLine)\nTry: storehouse --help")
    }
}
