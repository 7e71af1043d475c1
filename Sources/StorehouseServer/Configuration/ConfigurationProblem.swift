import Observability

/// One thing that is wrong with a configuration.
public struct ConfigurationProblem: Sendable, Hashable {
    /// The place of a value.
    public enum Source: Sendable, Hashable {
        case file(String)
        case variable(String)
        case flag(String)
    }

    /// The path of the key, known or not; nil if the problem is a whole file.
    public let path: String?
    /// Nil if values of different sources conflict.
    public let source: Source?
    /// What is wrong.
    public let detail: String

    package init(path: String?, source: Source? = nil, detail: String) {
        self.path = path
        self.source = source
        self.detail = detail
    }
}

extension ConfigurationProblem: CustomStringConvertible {
    /// One line, with control characters escaped.
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

/// All problems of a configuration, not only the first.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// At least one.
    public let problems: [ConfigurationProblem]

    package init(problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    /// One line for each problem.
    public var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
