/// Writes metrics in the text format of Prometheus (version 0.0.4).
public struct PrometheusWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var described: Set<String> = []

    package init() {}

    /// A counter: a value that only grows.
    ///
    /// - Parameters:
    ///   - name: ends in `_total`.
    ///   - help: what is counted, in a sentence.
    ///   - value: the current value.
    ///   - labels: distinguish values of the same name.
    public mutating func counter(
        _ name: String, _ help: String, _ value: some Numeric & Sendable, labels: [(String, String)] = []
    ) {
        describe(name, help, "counter")
        line(name, labels, "\(value)")
    }

    /// A gauge: a value that goes up and down.
    public mutating func gauge(
        _ name: String, _ help: String, _ value: some Numeric & Sendable, labels: [(String, String)] = []
    ) {
        describe(name, help, "gauge")
        line(name, labels, "\(value)")
    }

    /// A histogram: the number of measurements up to each bound.
    ///
    /// - Parameters:
    ///   - counts: the number of measurements between the previous bound and each bound, then of those beyond the last.
    ///   - sum: the sum of all measurements.
    public mutating func histogram(
        _ name: String, _ help: String, bounds: [Double], counts: [Int], sum: Double, labels: [(String, String)] = []
    ) {
        describe(name, help, "histogram")
        var total = 0
        for (index, count) in counts.enumerated() {
            total += count
            let bound = index < bounds.count ? "\(bounds[index])" : "+Inf"
            line(name + "_bucket", labels + [("le", bound)], "\(total)")
        }
        line(name + "_sum", labels, "\(sum)")
        line(name + "_count", labels, "\(total)")
    }

    private mutating func describe(_ name: String, _ help: String, _ type: String) {
        guard described.insert(name).inserted else { return }
        bytes += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n".utf8
    }

    private mutating func line(_ name: String, _ labels: [(String, String)], _ value: String) {
        bytes += name.utf8
        if !labels.isEmpty {
            let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1, quotes: true))\"" }
            bytes += "{\(list.joined(separator: ","))}".utf8
        }
        bytes += " \(value)\n".utf8
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
