import JSON

// Keeping states, and going on from them.
extension StateEncoder {
    var schema: Int { migrations.count + 1 }

    /// The trail of a store that begins as all of the kind do. Such a state has no secrets yet.
    @usableFromInline
    func newTrail(_ sealer: (any SecretSealer)?) -> HostBookkeeping {
        HostBookkeeping(initialTrace, hidden: initial.hidden ?? [], sealer)
    }

    /// The trail of a store that goes on from `state`.
    @usableFromInline
    func trail(from state: State, _ sealer: (any SecretSealer)?) -> HostBookkeeping {
        HostBookkeeping(
            EncodedBaseline(of: state), hidden: hidden(in: state, sealer == nil ? .leftOut : .clear) ?? [], sealer)
    }

    /// What has changed in the state since `trail` was asked last, and what it hides now, where that has changed too.
    @usableFromInline
    func changes(
        in state: State, since trail: HostBookkeeping, _ sealer: (any SecretSealer)?
    ) -> (changes: EncodedPatch, hidden: [UInt8]?) {
        let found = trail.changes(in: state)
        let patch = found.patch
        guard hides, let restoration else { return (patch, nil) }
        // Compared in clear where it will be sealed, so that nothing is sealed for nothing.
        var members = PrivateStateEncoder(found.rest(), sealer == nil ? .leftOut : .clear)
        restoration.visit(state, schema: schema, &members)
        guard trail.notesHidden(members) else { return (patch, nil) }
        return (patch, hidden(in: state, sealer.map { .sealed($0) } ?? .leftOut))
    }

    /// The state as it is kept at `revision`.
    @usableFromInline
    func kept(_ state: State, at revision: Int, _ trail: HostBookkeeping?, _ sealer: (any SecretSealer)?)
        -> StateSnapshot
    {
        StateSnapshot(
            json: whole(state, revision, trail), hidden: hidden(in: state, sealer.map { .sealed($0) } ?? .leftOut))
    }

    /// The selected value of a state that was kept.
    func encode(_ selection: Selection, of kept: StateSnapshot) throws(RestorationError) -> [UInt8] {
        switch selection {
        case .whole: kept.json
        case .pointer(let pointer): pointer.found(in: kept.json)
        case .named: encode(selection, of: try restored(kept, nil).state, at: 0, nil)
        }
    }

    /// The state that was kept.
    ///
    /// - Returns: the state, and the schema that it was migrated from; nil where that was the kind's own.
    @usableFromInline
    func restored(
        _ kept: StateSnapshot, _ sealer: (any SecretSealer)?
    ) throws(RestorationError) -> (state: State, migratedFrom: Int?) {
        guard let restoration else { throw .notRestorable }
        var json = try Self.value(kept.json, of: .state)
        var hidden = try Self.value(kept.hidden ?? Array("{}".utf8), of: .hidden)
        let from = try schema(in: hidden)
        for migration in migrations.dropFirst(from - 1) { try migration(&json, &hidden) }
        let state = try restoration.restore(PersistedValue(json, hidden: hidden, sealer: sealer))
        return (state, from == schema ? nil : from)
    }

    /// The schema of what was kept. Where none is told, it is the first.
    private func schema(in hidden: JSONValue) throws(RestorationError) -> Int {
        guard let told = hidden["$schema"] else { return 1 }
        guard let number = told.asInteger, number > 0 else {
            throw .unreadable(.hidden, at: JSONPointer(tokens: ["$schema"]), "must be a number from 1")
        }
        guard number <= schema else { throw .newerSchema(number, known: schema) }
        return number
    }

    private func hidden(in state: State, _ secrets: PrivateStateEncoder.Secrets) -> [UInt8]? {
        guard hides, let restoration else { return nil }
        var members = PrivateStateEncoder(JSONWriter(), secrets)
        restoration.visit(state, schema: schema, &members)
        return members.bytes
    }

    private static func value(
        _ json: [UInt8], of part: RestorationError.Part
    ) throws(RestorationError) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: json, maximumDepth: JSONValue.maxDepth)
        } catch {
            throw .malformed(part)
        }
    }
}
