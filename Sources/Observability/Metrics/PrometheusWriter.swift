/// Numbers in the text format of Prometheus (version 0.0.4).
public struct PrometheusWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    private var described: Set<String> = []

    package init() {}

    /// A number that only grows.
    ///
    /// - Parameters:
    ///   - name: ends in `_total`.
    ///   - help: what is counted, in a sentence.
    ///   - value: as it is now.
    ///   - labels: what tells it from others of the name.
    public mutating func counter(
        _ name: String, _ help: String, _ value: some Numeric & Sendable, labels: [(String, String)] = []
    ) {
        describe(name, help, "counter")
        line(name, labels, "\(value)")
    }

    /// A number as it is now.
    public mutating func gauge(
        _ name: String, _ help: String, _ value: some Numeric & Sendable, labels: [(String, String)] = []
    ) {
        describe(name, help, "gauge")
        line(name, labels, "\(value)")
    }

    /// How many of what was measured fell under each bound.
    ///
    /// - Parameters:
    ///   - counts: how many fell between the bound before and this one, and behind them those beyond the last.
    ///   - sum: of all that was measured.
    public mutating func histogram(
        _ name: String, _ help: String, bounds: [Double], counts: [Int], sum: Double, labels: [(String, String)] = []
    ) {
        describe(name, help, "histogram")
        var total = 0
        for (place, count) in counts.enumerated() {
            total += count
            let bound = place < bounds.count ? "\(bounds[place])" : "+Inf"
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
