package import HTTP
import Stores

// What a query may ask for.
extension Route {
    /// The parameters that a method goes by here.
    package func parameters(of method: HTTPMethod) -> [String] {
        switch (self, method) {
        case (.state, .get), (.state, .head): ["select", "revision"]
        case (.actions, .post): ["select", "dryRun"]
        case (.actions, .get), (.actions, .head), (.adminSessions, .get), (.adminSessions, .head): ["after", "limit"]
        case (.events, .get): ["select", "changes", "effects", "color", "lastEventId"]
        default: []
        }
    }

    /// Refuses a query that names a parameter twice, or not quite as it is called: the answer would be to another question,
    /// and what was to be a dry run would be committed.
    ///
    /// A name that is like none is passed over. Caches are outwitted, and visitors followed, by such.
    func requireClear(_ query: QueryItems, of method: HTTPMethod) throws(Problem) {
        guard !query.isEmpty else { return }
        let known = parameters(of: method)
        guard !known.isEmpty else { return }
        var query = query
        var seen = [Bool](repeating: false, count: known.count)
        while let name = query.nextName() {
            if let place = known.firstIndex(of: name) {
                if seen[place] { throw Problem(.malformedRequest, "\(name) must not stand in a query twice.") }
                seen[place] = true
            } else if let meant = known.first(where: { Self.isSlip(name, for: $0) }) {
                throw Problem(.malformedRequest, "This resource has no parameter of this name. Did you mean \(meant)?")
            }
        }
    }

    /// Whether somebody who wrote `name` has most likely meant `parameter`: a third of its letters may be wrong.
    private static func isSlip(_ name: String, for parameter: String) -> Bool {
        let most = parameter.utf8.count / 3
        return abs(name.utf8.count - parameter.utf8.count) <= most
            && editDistance(name.lowercased(), parameter.lowercased()) <= most
    }
}
