/// A queue that can be left from the middle: everything is O(1) on average.
///
/// Who leaves stays in the array, marked as gone, until it is popped or the marked outnumber the others.
struct WaitingLine<Element: AnyObject> {
    private var places: [Element?] = []
    private var first = 0
    private var positions: [ObjectIdentifier: Int] = [:]

    var count: Int { positions.count }

    mutating func append(_ element: Element) {
        positions[ObjectIdentifier(element)] = places.count
        places.append(element)
    }

    mutating func popFirst() -> Element? {
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
    mutating func remove(_ element: Element) -> Bool {
        guard let position = positions.removeValue(forKey: ObjectIdentifier(element)) else { return false }
        places[position] = nil
        return true
    }

    mutating func tidy() {
        guard places.count > 2 * count + 32 else { return }
        places = places.compactMap(\.self)
        first = 0
        for (position, element) in places.enumerated() {
            if let element { positions[ObjectIdentifier(element)] = position }
        }
    }
}
