import JSON
package import Platform
package import StoreHosting

/// The result of a request to a session.
package struct SessionResult: Sendable {
    /// The session that it shows: after a fork, the new one.
    package let session: Session
    /// It shows nothing that was committed after this revision; 0 for nothing after now.
    package let revision: Int
    package var content: Content
    /// When the store has committed the action of the request; nil if it has not.
    package var committedAt: MonotonicInstant?
    /// The actor for whom it shows a value; nil if it shows the same to all.
    package var reader: Actor?

    package init(_ content: Content, of session: Session, at revision: Int = 0, committedAt: MonotonicInstant? = nil) {
        self.session = session
        self.revision = revision
        self.content = content
        self.committedAt = committedAt
    }

    package enum Content: Sendable {
        /// There is nothing to show.
        case done
        /// The client has the state of this revision.
        case unchanged
        case document(StateDocument)
        case state(EncodedState)
        /// The session as JSON.
        case description([UInt8])
        /// A new session as JSON, and its path.
        indirect case created([UInt8], path: String)
        /// A page of the action log. The next one is read when the turn of this one is released.
        indirect case log(ActionLogPage, StorageReads.Turn)
        /// A stream is subscribed, and these are its first events; with the turn in which missed ones were read.
        indirect case subscribed(InitialEvents, StorageReads.Turn?)
        case permits([PermitTerms])
        case refusedActions([RefusedAction])
        /// The clients that watch it.
        indirect case present(PresenceList)
        /// The outcomes of a replay that has made no session.
        case replayed([ReplayedAction])
        case action(ActionAnswer)
        /// The outcomes of the entries of a client.
        indirect case synced(SyncAnswer)
        /// The whole message that the first request with the same key got.
        case remembered([UInt8])
        /// The session has decided against it.
        indirect case refused(SessionFailure)
    }
}

/// A state as the body of a response.
package struct StateDocument: Sendable {
    package let revision: Int
    package let body: [UInt8]

    init(_ state: EncodedState) {
        revision = state.revision
        var json = JSONWriter(reservingCapacity: max(1024, state.json.count + 64))
        json.object { json in
            json.member("revision", state.revision)
            json.member("state", raw: state.json)
        }
        body = json.finishLine()
    }
}
