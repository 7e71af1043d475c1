package import StoreHosting
package import Stores

/// A selected value at a revision.
package struct StateEvent: Sendable {
    package let historyID: String
    package let revision: Int
    package let json: [UInt8]
    /// The revision that changed the value last.
    package let lastChangedRevision: Int
    /// The clients whose entries it contains, as far as the stream has not been told of them.
    package var through = Through.none

    package init(historyID: String, revision: Int, json: [UInt8], lastChangedRevision: Int) {
        self.historyID = historyID
        self.revision = revision
        self.json = json
        self.lastChangedRevision = lastChangedRevision
    }
}

/// The changes of a selected value up to a revision.
package struct PatchEvent {
    package let historyID: String
    package let revision: Int
    package let patch: EncodedPatch
    /// The clients whose entries the changes contain, as far as the stream has not been told of them.
    package var through = Through.none
}

/// Tells a client that it has the selected value of a revision, and what it needs to know of the server.
package struct ReadyEvent: Sendable {
    package let revision: Int
    /// The history of the session, as entity tags name it.
    package let historyID: String
    /// The mark of the client, and its last entry that the value contains; nil if it has no record.
    package let client: ToldEntry?
    /// The longest silence of the stream.
    package let heartbeat: Duration
    /// The longest body of a request.
    package let maxBodyBytes: Int
    /// In milliseconds since 1970.
    package let time: Int
    /// The kind of the session, and its version.
    package let store: String
    package let version: String

    package init(
        _ news: ReadyNews, historyID: String, heartbeat: Duration, maxBodyBytes: Int, time: Int, store: String,
        version: String
    ) {
        (revision, client, self.historyID, self.heartbeat) = (news.revision, news.client, historyID, heartbeat)
        (self.maxBodyBytes, self.time, self.store, self.version) = (maxBodyBytes, time, store, version)
    }
}

/// The id of an event: a history, and a revision in it.
package struct EventID {
    package let historyID: Substring
    package let revision: Int

    /// Parses an id that a client sends back; nil if no server can have sent it.
    package init?(_ text: String) {
        guard let dash = text.lastIndex(of: "-"), let revision = Int(text[text.index(after: dash)...]) else {
            return nil
        }
        historyID = text[..<dash]
        self.revision = revision
    }

    /// Its revision, if that is one of a history up to a revision.
    package func revision(in historyID: String, upTo newest: Int) -> Int? {
        self.historyID == historyID && revision <= newest ? revision : nil
    }
}

/// A message from one client to all that watch the session now. It is stored nowhere.
package struct SignalEvent: Sendable {
    package let type: String
    /// As JSON.
    package let payload: [UInt8]
    package let actor: Actor
    /// In milliseconds since 1970.
    package let at: Int

    package init(type: String, payload: [UInt8], actor: Actor, at: Int) {
        (self.type, self.payload, self.actor, self.at) = (type, payload, actor, at)
    }
}
