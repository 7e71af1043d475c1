import Locks
package import Observability

/// A counter for each case of an enumeration, whose raw values are the values of a label.
///
/// It is in this module, where it is used: in another one it would not be specialized, and each addition would cost more than
/// all the rest that a request counts.
package struct Counters<Label: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    private let labels = Array(Label.allCases)
    private let cells = StripedCounters(count: Label.allCases.count)

    package init() {}

    /// Adds to the counter of a case.
    package func add(_ amount: Int = 1, to label: Label) {
        guard let index = labels.firstIndex(of: label) else { return }
        cells.add(amount, to: index)
    }

    /// Writes the samples of all counters, also of those that are 0.
    package func write(
        _ name: String, _ help: String, _ label: String, labels others: [(String, String)] = [],
        into text: inout PrometheusWriter
    ) {
        for (index, value) in labels.enumerated() {
            text.counter(name, help, cells[index], labels: others + [(label, value.rawValue)])
        }
    }
}
