import JSON

/// A request that a step makes, and all that should come of it.
struct ModelExpectation: Sendable {
    enum Target: Sendable {
        case sessions
        case session(Int)
        case share(Int)
    }

    /// What the last part of a path names.
    enum Last: Sendable {
        case share(Int)
    }

    var method = "GET"
    var target = Target.sessions
    var below = ""
    var last: Last?
    var body: JSONValue?
    var key: Int?
    /// Whether the client waits for effects.
    var waits = false

    var status = 200
    var code: String?
    /// Members of the answer.
    var members: JSONObject = [:]
    var absent: [String] = []
    /// In the entity tag.
    var taggedRevision: Int?
    var isReplayed = false
    /// Whether the sender is removed after the first question for its rights.
    var isInterrupted = false
    /// Whether the answer is that of a session that there is not.
    var isStrange = false
    /// The revision, type, payload, origin and actor of each entry of the log.
    var log: [JSONValue]?
    /// The refused actions, newest first. A session that left memory has forgotten some of the oldest.
    var refused: [JSONValue]?
    /// The numbers of the shares in a list.
    var listed: [Int]?
    /// What comes on open streams.
    var events: [(stream: Int, event: ModelEvent)] = []
    /// The form of the stream that the step opens.
    var opens: ModelStreamForm?
    var makesSession = false
    var makesShare = false

    /// The request sends actions.
    mutating func send(_ post: ModelPost) {
        (method, below, body) = ("POST", "/actions" + post.query, post.json)
        (key, waits) = (post.key, post.dismissed != nil)
    }

    mutating func refuse(_ status: Int, _ code: String, _ members: JSONObject = [:]) {
        (self.status, self.code, self.members) = (status, code, members)
    }
}

/// What comes on a stream.
enum ModelEvent: Sendable {
    /// The new value, as a state or as a patch.
    case value(JSONValue, revision: Int)
    /// An entry of the log.
    case action(JSONValue)
    case closed(String)
}
