extension EntityTable: TextContainer {
    func hasSameText(as other: Any, depth: Int) -> Bool {
        guard let other = other as? EntityTable, count == other.count else { return false }
        if stamp == other.stamp { return true }
        return zip(ordered, other.ordered).allSatisfy { ExactComparison.haveSameText($0, $1, depth: depth) }
    }
}
