/// An element that a list gets.
package struct ListInsertion: Sendable {
    /// The index in the new list.
    package let index: Int
    /// The index of the same element in the old list, if it is moved.
    package let source: Int?

    /// An insertion, or a move if it has a source.
    package init(at index: Int, from source: Int? = nil) {
        self.index = index
        self.source = source
    }
}

/// One of the steps that turn a list into another, each of which counts on the ones before it.
package enum ListStep: Sendable, Equatable {
    /// Removes the element at the index.
    case remove(Int)
    /// Inserts the element that the new list has at the index `element`.
    case insert(at: Int, element: Int)
    /// Removes an element, then inserts it.
    case move(from: Int, to: Int)

    /// More products of moves and insertions than this are not searched. Each move is then a removal and an insertion.
    private static let maxWork = 1 << 18

    /// The steps: first the removals, from the highest index down, then the insertions and moves from the lowest up.
    ///
    /// - Parameters:
    ///   - removed: indices of the old list, in ascending order.
    ///   - inserted: in the order of the new list.
    package static func steps(removing removed: [Int], inserting inserted: [ListInsertion]) -> [ListStep] {
        let sources = inserted.compactMap(\.source)
        guard !sources.isEmpty else { return plain(removed, inserted) }
        guard sources.count * inserted.count <= maxWork else {
            return plain((removed + sources).sorted(), inserted.map { ListInsertion(at: $0.index) })
        }
        var steps = removed.reversed().map { ListStep.remove($0) }
        var moving = MovingElements(sources.sorted(), removed)
        for insertion in inserted {
            let from = insertion.source.map { moving.take($0) }
            let index = moving.makeRoom(for: insertion.index)
            if let from {
                // The elements that moved past it may have brought it to its place.
                if from != index { steps.append(.move(from: from, to: index)) }
            } else {
                steps.append(.insert(at: index, element: insertion.index))
            }
        }
        return steps
    }

    private static func plain(_ removed: [Int], _ inserted: [ListInsertion]) -> [ListStep] {
        removed.reversed().map { .remove($0) } + inserted.map { .insert(at: $0.index, element: $0.index) }
    }
}

/// Elements of a list that will be moved, in their order.
private struct MovingElements {
    /// `settled` counts the elements before it that are not to be moved, or were moved.
    private var elements: [(source: Int, settled: Int)] = []

    init(_ sources: [Int], _ removed: [Int]) {
        var gone = 0
        for (count, source) in sources.enumerated() {
            while gone < removed.count, removed[gone] < source { gone += 1 }
            elements.append((source, source - gone - count))
        }
    }

    /// Takes an element out, and returns its index in the list before that.
    mutating func take(_ source: Int) -> Int {
        let place = elements.firstIndex { $0.source == source } ?? 0
        return elements.remove(at: place).settled + place
    }

    /// - Returns: the index in the list at which an element gets so many settled ones before it.
    mutating func makeRoom(for settled: Int) -> Int {
        let place = elements.firstIndex { $0.settled >= settled } ?? elements.count
        for later in place..<elements.count { elements[later].settled += 1 }
        return settled + place
    }
}
