/// A counter for each case of an enumeration, whose raw values are the values of a label.
///
/// Inlinable: an addition that is not specialized would cost more than all the rest that a request counts.
@usableFromInline
package struct Counters<Label: RawRepresentable<String> & CaseIterable & Hashable & Sendable>: Sendable {
    @usableFromInline let labels = Array(Label.allCases)
    @usableFromInline let cells = StripedCounters(count: Label.allCases.count)

    package init() {}

    /// Adds to the counter of a case.
    @inlinable
    package func add(_ amount: Int = 1, to label: Label) {
        guard let index = labels.firstIndex(of: label) else { return }
        cells.add(amount, to: index)
    }

    /// The value of each label, and what was added to it.
    package var counts: [(label: String, count: Int)] {
        labels.enumerated().map { index, label in (label.rawValue, cells[index]) }
    }
}
