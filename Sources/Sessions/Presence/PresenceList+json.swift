package import JSON
import StoreHosting
import Stores

extension PresenceList: JSONEncodable {
    /// Writes `{"present":[{"actor":{…},"streams":2}],"anonymous":3}`, or `{"actors":1001,"anonymous":3}` if they are only counted.
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            if let present { json.member("present", present) } else { json.member("actors", actorCount) }
            json.member("anonymous", anonymous)
        }
    }
}

extension PresenceList.Present: JSONEncodable {
    package func encode(into json: inout JSONWriter) {
        json.object { json in
            json.member("actor", raw: actor.json)
            json.member("streams", streams)
        }
    }
}

extension PresenceChange: JSONEncodable {
    /// Writes `{"joined":[…],"left":[…],"anonymous":2}`, or the whole list.
    package func encode(into json: inout JSONWriter) {
        switch self {
        case .all(let list): list.encode(into: &json)
        case .some(let joined, let left, let anonymous):
            json.object { json in
                json.member("joined", joined)
                json.member("left", left)
                json.member("anonymous", anonymous)
            }
        }
    }
}
