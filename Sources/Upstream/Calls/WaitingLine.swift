/// A queue that can be left from the middle: everything is O(1) on average.
///
/// Who leaves stays in the array, marked as gone, until it is popped or the marked outnumber the others.
package struct WaitingLine<Element: AnyObject> {
    private var places: [Element?] = []
    private var first = 0
    private var positions: [ObjectIdentifier: Int] = [:]

    package init() {}

    package var count: Int { positions.count }

    package mutating func append(_ element: Element) {
        positions[ObjectIdentifier(element)] = places.count
        places.append(element)
    }

    package mutating func popFirst() -> Element? {
        while first < places.count {
            defer { first += 1 }
            guard let element = places[first] else { continue }
            remove(element)
            return element
        }
        return nil
    }

    /// - Returns: whether it waited.
    @discardableResult
    package mutating func remove(_ element: Element) -> Bool {
        guard let position = positions.removeValue(forKey: ObjectIdentifier(element)) else { return false }
        places[position] = nil
        return true
    }

    /// Forgets those who are gone, when there are many.
    package mutating func tidy() {
        guard places.count > 2 * count + 32 else { return }
        places = places.compactMap(\.self)
        first = 0
        for (position, element) in places.enumerated() {
            if let element { positions[ObjectIdentifier(element)] = position }
        }
    }
}
