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
