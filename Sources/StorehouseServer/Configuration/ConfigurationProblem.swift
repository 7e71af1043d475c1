import Observability

/// One thing that is wrong with a configuration.
public struct ConfigurationProblem: Sendable, Hashable {
    /// Where the value was read.
    public enum Source: Sendable, Hashable {
        case file(String)
        case variable(String)
        case flag(String)
    }

    /// The path of the key, or of what should be one; nil where a whole file is meant.
    public let path: String?
    /// Nil where values from different places do not go together.
    public let source: Source?
    /// What is wrong.
    public let detail: String
}

extension ConfigurationProblem: CustomStringConvertible {
    /// One line, whatever the names hold.
    public var description: String {
        let place =
            switch (path, source) {
            case (let path?, let source?): "\(path) (\(source.name))"
            case (let path?, nil): path
            case (nil, let source): source?.name ?? "configuration"
            }
        return "\(place): \(detail)".escapedForOneLine
    }
}

extension ConfigurationProblem.Source {
    fileprivate var name: String {
        switch self {
        case .file(let name), .variable(let name), .flag(let name): name
        }
    }
}

/// Why there is no configuration: all that is wrong, not only the first.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// All of them, one at least.
    public let problems: [ConfigurationProblem]

    /// What can only be found wrong by whoever is to use it.
    package init(problem path: String, _ detail: String) {
        problems = [ConfigurationProblem(path: path, source: nil, detail: detail)]
    }

    init(problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    /// One line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
