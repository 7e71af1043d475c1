/// The circles of a graph: its strongly connected sets of more than one node.
enum Circles {
    /// - Parameter edges: the nodes that each node points to.
    /// - Returns: each circle as it is sorted, and the largest first.
    static func all(in edges: [String: Set<String>]) -> [[String]] {
        var search = Search(edges: edges)
        for node in edges.keys.sorted() where search.numbers[node] == nil { search.visit(node) }
        return search.circles.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
    }

    /// Tarjan's algorithm: https://doi.org/10.1137/0201010
    private struct Search {
        let edges: [String: Set<String>]
        var numbers: [String: Int] = [:]
        var circles: [[String]] = []
        private var lowest: [String: Int] = [:]
        private var path: [String] = []
        private var onPath: Set<String> = []

        init(edges: [String: Set<String>]) { self.edges = edges }

        mutating func visit(_ node: String) {
            let number = numbers.count
            numbers[node] = number
            lowest[node] = number
            path.append(node)
            onPath.insert(node)
            for next in edges[node] ?? [] {
                if numbers[next] == nil {
                    visit(next)
                    lowest[node] = min(lowest[node] ?? number, lowest[next] ?? number)
                } else if onPath.contains(next) {
                    lowest[node] = min(lowest[node] ?? number, numbers[next] ?? number)
                }
            }
            guard lowest[node] == number, let start = path.lastIndex(of: node) else { return }
            let members = path[start...]
            onPath.subtract(members)
            if members.count > 1 { circles.append(members.sorted()) }
            path.removeSubrange(start...)
        }
    }
}
