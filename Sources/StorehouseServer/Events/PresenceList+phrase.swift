import Sessions
import Stores

// Who watches, in words for a terminal.
extension PresenceList {
    var phrase: String {
        let actors = present.map(Self.names) ?? "\(actorCount) clients with an id"
        return "here: \(actors.isEmpty ? "" : actors + "; ")\(anonymous) anonymous"
    }

    /// How many names a line has.
    private static let maxNames = 20

    /// The names of the first, and how many others there are.
    fileprivate static func names(_ present: [Present]) -> String {
        let names = present.prefix(maxNames).map { $0.actor.phrase }.joined(separator: ", ")
        return present.count > maxNames ? "\(names) and \(present.count - maxNames) more" : names
    }
}

extension PresenceChange {
    var phrase: String {
        switch self {
        case .all(let list): return list.phrase
        case .some(let joined, let left, let anonymous):
            let came = joined.isEmpty ? [] : ["joined: " + PresenceList.names(joined)]
            let went = left.isEmpty ? [] : ["left: " + PresenceList.names(left)]
            return (came + went + ["\(anonymous) anonymous"]).joined(separator: "; ")
        }
    }
}

extension Actor {
    /// Its name; without one its id, and without that its kind.
    var phrase: String { name ?? (id.isEmpty ? kind.rawValue : id.text) }
}
