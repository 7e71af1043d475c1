package import JSON

/// An event whose data was parsed.
package struct StreamEvent: Sendable, Hashable {
    package let type: String
    package let id: String
    package let data: JSONValue

    package init(_ event: StreamedEvent) throws(JSONSyntaxError) {
        type = event.name
        id = event.id
        data = try JSONValue(parsing: event.data, maximumDepth: JSONValue.maxDepth)
    }
}

/// The newest state that the server has sent.
package struct Confirmed: Sendable, Hashable {
    /// Nil if there is none.
    package var value: JSONValue?
    package var revision = -1
    /// That of the newest event, by which a stream is resumed.
    package var eventID: String?
    package var history: String?
    /// The version of the kind.
    package var version: String?
    /// The name of this client in `through`.
    package var mark: String?
    /// The highest number of this client that the value contains.
    package var through = 0

    package init(
        value: JSONValue? = nil, revision: Int = -1, eventID: String? = nil, history: String? = nil,
        version: String? = nil, mark: String? = nil, through: Int = 0
    ) {
        self.value = value
        self.revision = revision
        self.eventID = eventID
        self.history = history
        self.version = version
        self.mark = mark
        self.through = through
    }

    /// The events of one read do not apply, so that the state has to come anew.
    package enum Misfit: Error, Hashable {
        case noState
        /// Patches of one version do not lead to the form of another.
        case otherVersion
        case patch(JSONPatchError)
        case malformed(String)
    }

    /// Applies the events of one read. After an error the state is one that nobody must see.
    package mutating func apply(_ events: [StreamEvent]) throws(Misfit) -> ChangedPlaces {
        var changed = ChangedPlaces.nothing
        for event in events {
            switch event.type {
            case "state":
                guard let state = event.data["state"] else { throw .malformed("state") }
                value = state
                changed = .all
            case "patch": try applyPatch(event.data["patch"] ?? .null, &changed)
            case "ready":
                let hasState = events.contains { $0.type == "state" }
                try begin(event.data, hasState: hasState)
            default: continue
            }
            advance(to: event)
        }
        return changed
    }

    private mutating func applyPatch(_ json: JSONValue, _ changed: inout ChangedPlaces) throws(Misfit) {
        guard var document = value.take() else { throw .noState }
        do throws(JSONPatchError) {
            let patch = try JSONPatch(json)
            try document.replay(patch)
            changed.add(patch)
        } catch {
            throw .patch(error)
        }
        value = document
    }

    private mutating func begin(_ ready: JSONValue, hasState: Bool) throws(Misfit) {
        let newHistory = ready["history"]?.asString
        // A restored backup has fewer numbers, so the old ones say nothing about the new history.
        if history != newHistory { through = 0 }
        let newVersion = ready["version"]?.asString
        // A kind of another version may have another form, which patches of the old one do not bring.
        if let version, version != newVersion, !hasState { throw .otherVersion }
        history = newHistory
        version = newVersion
        mark = ready["mark"]?.asString ?? mark
    }

    private mutating func advance(to event: StreamEvent) {
        revision = event.data["revision"]?.asInteger ?? revision
        if !event.id.isEmpty { eventID = event.id }
        if let mark, let number = event.data["through"]?[mark]?.asInteger { through = max(through, number) }
    }
}
