package import StoreHosting
package import Stores

/// A selected value at a revision.
package struct StateEvent: Sendable {
    package let historyID: String
    package let revision: Int
    package let json: [UInt8]
    /// The revision that changed the value last.
    package let lastChangedRevision: Int

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
