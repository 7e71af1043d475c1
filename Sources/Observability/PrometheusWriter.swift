/// Writes metrics in the text exposition format of Prometheus (version 0.0.4).
///
/// The format wants all samples of a family in one group behind its HELP and TYPE lines. The writer groups them, so
/// samples may be added in any order. Families appear in the order of their first samples.
package struct PrometheusWriter: Sendable {
    /// The lines of each family: HELP, TYPE, then its samples.
    private var families: [[UInt8]] = []
    private var indices: [String: Int] = [:]

    package init() {}

    /// The exposition so far.
    package var bytes: [UInt8] { Array(families.joined()) }

    /// Adds a sample of a counter: a value that never decreases while the process runs.
    ///
    /// - Parameters:
    ///   - name: the family's name; it ends in `_total`.
    ///   - help: what is counted, in one sentence. The first sample's text is used for the family.
    ///   - value: the current value.
    ///   - labels: names and values that distinguish this sample from others of the family.
    package mutating func counter(
        _ name: String, _ help: String, _ value: some Numeric & Sendable, labels: [(String, String)] = []
    ) {
        let family = family(name, help, "counter")
        append(name, labels, "\(value)", to: family)
    }

    /// Adds a sample of a gauge: a value that may rise and fall.
    package mutating func gauge(
        _ name: String, _ help: String, _ value: some Numeric & Sendable, labels: [(String, String)] = []
    ) {
        let family = family(name, help, "gauge")
        append(name, labels, "\(value)", to: family)
    }

    /// Adds the samples of a histogram.
    ///
    /// - Parameters:
    ///   - name: the family's name.
    ///   - help: what is observed, in one sentence.
    ///   - bounds: the upper bounds of the buckets, ascending.
    ///   - counts: the observations in each bucket, not cumulative; the last count is for those above all bounds.
    ///   - sum: the sum of all observations.
    ///   - labels: names and values that distinguish these samples from others of the family.
    package mutating func histogram(
        _ name: String, _ help: String, bounds: [Double], counts: [Int], sum: Double, labels: [(String, String)] = []
    ) {
        let family = family(name, help, "histogram")
        var total = 0
        for (index, count) in counts.enumerated() {
            total += count
            let bound = index < bounds.count ? "\(bounds[index])" : "+Inf"
            append(name + "_bucket", labels + [("le", bound)], "\(total)", to: family)
        }
        append(name + "_sum", labels, "\(sum)", to: family)
        append(name + "_count", labels, "\(total)", to: family)
    }

    /// The index of a family, which is added with its HELP and TYPE lines if it is new.
    private mutating func family(_ name: String, _ help: String, _ type: String) -> Int {
        if let index = indices[name] { return index }
        indices[name] = families.count
        families.append(
            Array("# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n".utf8))
        return families.count - 1
    }

    private mutating func append(_ name: String, _ labels: [(String, String)], _ value: String, to family: Int) {
        families[family] += name.utf8
        if !labels.isEmpty {
            let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1, quotes: true))\"" }
            families[family] += "{\(list.joined(separator: ","))}".utf8
        }
        families[family] += " \(value)\n".utf8
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
