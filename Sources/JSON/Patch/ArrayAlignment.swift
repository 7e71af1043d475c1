/// Which elements of an array are those of another: found by their `id`, if all have different ones, or else by value.
///
/// Takes time linear in the arrays. A few differences are found by the algorithm of Myers ("An O(ND) difference algorithm
/// and its variations", 1986). It gives up after ``CommonElements/maxDifferences``; a longest increasing subsequence is
/// then found, which handles any number of them, but not always with the fewest changes if elements are repeated.
struct ArrayAlignment {
    /// Elements that may differ, by their old and new index.
    private(set) var compared: [(old: Int, new: Int)] = []
    /// Old indices, in order.
    private(set) var removed: [Int] = []
    /// In the order of the new array.
    private(set) var inserted: [ListInsertion] = []

    init(from old: [JSONValue], to new: [JSONValue]) {
        let shorter = min(old.count, new.count)
        var (first, last) = (0, 0)
        while first < shorter, old[first] == new[first] { first += 1 }
        while last < shorter - first, old[old.count - 1 - last] == new[new.count - 1 - last] { last += 1 }
        let (before, after) = (first..<old.count - last, first..<new.count - last)
        guard !before.isEmpty, !after.isEmpty, before.count + after.count > 2 else {
            pair(Array(before), Array(after))
            return
        }
        align(ElementKeys(old[before], new[after]), first)
    }

    private mutating func align(_ keys: ElementKeys, _ first: Int) {
        let common = CommonElements.find(keys.old, keys.new)
        let sources = Self.sources(keys, common)
        let moved = Set(sources.compactMap(\.self))
        var (before, after) = (0, 0)
        for (old, new) in common + [(keys.old.count, keys.new.count)] {
            for (index, source) in zip(after..<new, sources[after..<new]) {
                guard let source else { continue }
                inserted.append(ListInsertion(at: first + index, from: first + source))
                if keys.areIDs { compared.append((first + source, first + index)) }
            }
            pair(
                (before..<old).filter { !moved.contains($0) }.map { first + $0 },
                (after..<new).filter { sources[$0] == nil }.map { first + $0 })
            if keys.areIDs, old < keys.old.count { compared.append((first + old, first + new)) }
            (before, after) = (old + 1, new + 1)
        }
        inserted.sort { $0.index < $1.index }
    }

    /// For each new element that is not common, the old index of an equal one that is not common either.
    private static func sources(_ keys: ElementKeys, _ common: [(old: Int, new: Int)]) -> [Int?] {
        var free: [[Int]] = Array(repeating: [], count: keys.count)
        let kept = (old: Set(common.map(\.old)), new: Set(common.map(\.new)))
        for index in keys.old.indices.reversed() where !kept.old.contains(index) { free[keys.old[index]].append(index) }
        return keys.new.indices.map { kept.new.contains($0) ? nil : free[keys.new[$0]].popLast() }
    }

    /// Pairs the elements at the same offset, to be compared. Of the longer list, the other elements are removed or inserted.
    private mutating func pair(_ before: [Int], _ after: [Int]) {
        let shorter = min(before.count, after.count)
        compared += zip(before, after).map { (old: $0, new: $1) }
        removed += before[shorter...]
        inserted += after[shorter...].map { ListInsertion(at: $0) }
    }
}

/// Small numbers for the elements of two arrays. Equal numbers mean the same element.
private struct ElementKeys {
    private(set) var old: [Int] = []
    private(set) var new: [Int] = []
    /// The number of different elements.
    private(set) var count = 0
    /// Whether the elements were told apart by their `id`, so that they may differ elsewhere.
    private(set) var areIDs = true

    init(_ old: ArraySlice<JSONValue>, _ new: ArraySlice<JSONValue>) {
        if let ids = Self.ids(old), let others = Self.ids(new) {
            number(ids, others)
        } else {
            areIDs = false
            number(old, new)
        }
    }

    private mutating func number(_ old: some Sequence<JSONValue>, _ new: some Sequence<JSONValue>) {
        var numbers: [JSONValue: Int] = [:]
        func number(_ value: JSONValue) -> Int {
            if let known = numbers[value] { return known }
            numbers[value] = numbers.count
            return numbers.count - 1
        }
        self.old = old.map(number)
        self.new = new.map(number)
        count = numbers.count
    }

    /// Nil if an element has no `id`, or the same one as another.
    private static func ids(_ elements: ArraySlice<JSONValue>) -> [JSONValue]? {
        var seen: Set<JSONValue> = []
        var ids: [JSONValue] = []
        for element in elements {
            guard let id = element["id"], id.asString != nil || id.asInteger != nil, seen.insert(id).inserted else {
                return nil
            }
            ids.append(id)
        }
        return ids
    }
}

/// The elements that two lists have in common, in the same order in both.
private enum CommonElements {
    static let maxDifferences = 64

    static func find(_ old: [Int], _ new: [Int]) -> [(old: Int, new: Int)] {
        if let few = ofFewDifferences(old, new) { return few }
        let ordered = longestIncreasing(old, new)
        guard old.count == new.count else { return ordered }
        let inPlace = old.indices.filter { old[$0] == new[$0] }
        return inPlace.count < ordered.count ? ordered : inPlace.map { ($0, $0) }
    }

    /// Nil if the lists have more than ``maxDifferences``.
    private static func ofFewDifferences(_ old: [Int], _ new: [Int]) -> [(old: Int, new: Int)]? {
        let most = min(maxDifferences, old.count + new.count)
        guard abs(old.count - new.count) <= most else { return nil }
        // How far each diagonal reaches in `old`, after each number of differences.
        let middle = most + 1
        var reach = Array(repeating: 0, count: 2 * most + 3)
        var history: [[Int]] = []
        for differences in 0...most {
            history.append(reach)
            for diagonal in stride(from: -differences, through: differences, by: 2) {
                let (left, right) = (reach[middle + diagonal - 1], reach[middle + diagonal + 1])
                let isInsertion = diagonal == -differences || diagonal != differences && left < right
                var place = isInsertion ? right : left + 1
                while place < old.count, place - diagonal < new.count, old[place] == new[place - diagonal] {
                    place += 1
                }
                reach[middle + diagonal] = place
                if place >= old.count, place - diagonal >= new.count {
                    return path(back: history, middle, (old.count, new.count))
                }
            }
        }
        return nil
    }

    private static func path(
        back history: [[Int]], _ middle: Int, _ end: (old: Int, new: Int)
    ) -> [(old: Int, new: Int)] {
        var common: [(old: Int, new: Int)] = []
        var place = end
        for (differences, reach) in history.enumerated().reversed() {
            let diagonal = place.old - place.new
            let (left, right) = (reach[middle + diagonal - 1], reach[middle + diagonal + 1])
            let isInsertion = diagonal == -differences || diagonal != differences && left < right
            var (old, new) = (0, 0)
            if differences > 0 {
                old = isInsertion ? right : left
                new = old - (isInsertion ? diagonal + 1 : diagonal - 1)
            }
            while place.old > old, place.new > new {
                place = (place.old - 1, place.new - 1)
                common.append(place)
            }
            place = (old, new)
        }
        return common.reversed()
    }

    /// The first element of a kind is paired with the first, the second with the second, and so on.
    private static func longestIncreasing(_ old: [Int], _ new: [Int]) -> [(old: Int, new: Int)] {
        var free: [Int: [Int]] = [:]
        for index in old.indices.reversed() { free[old[index], default: []].append(index) }
        let pairs = new.indices.compactMap { index in free[new[index]]?.popLast().map { (old: $0, new: index) } }
        // For each length, the index of the pair that ends a sequence of it with the lowest old index.
        var ends: [Int] = []
        var previous = Array(repeating: -1, count: pairs.count)
        for (index, pair) in pairs.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[ends[middle]].old < pair.old { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? ends[low - 1] : -1
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var longest: [(old: Int, new: Int)] = []
        var next = ends.last ?? -1
        while next >= 0 {
            longest.append(pairs[next])
            next = previous[next]
        }
        return longest.reversed()
    }
}
