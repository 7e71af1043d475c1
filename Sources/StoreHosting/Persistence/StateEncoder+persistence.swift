import JSON

// Persisting and restoring states.
extension StateEncoder {
    var schema: Int { migrations.count + 1 }

    /// The selected value of a persisted state, as JSON.
    func encode(_ selection: Selection, of persisted: StateSnapshot) throws(RestorationError) -> [UInt8] {
        switch selection {
        case .root: persisted.json
        case .pointer(let pointer): pointer.found(in: persisted.json)
        case .named:
            try encode(selection, of: restored(persisted, nil).state) { persisted.json }
        }
    }

    /// Restores a persisted state, and migrates it if its schema is older.
    ///
    /// - Returns: the state, and the schema that it was migrated from; nil if it was not migrated.
    @usableFromInline
    func restored(
        _ persisted: StateSnapshot, _ sealer: (any SecretSealer)?
    ) throws(RestorationError) -> (state: State, migratedFrom: Int?) {
        guard let restoration else { throw .notRestorable }
        var json = try Self.value(persisted.json, of: .state)
        var privateState = try Self.value(persisted.privateState ?? Array("{}".utf8), of: .privateState)
        let from = try schema(in: privateState)
        for migration in migrations.dropFirst(from - 1) { try migration(&json, &privateState) }
        let state = try restoration.restore(PersistedValue(json, privateState: privateState, sealer: sealer))
        return (state, from == schema ? nil : from)
    }

    /// The schema of a persisted state; 1 if the private state does not have `$schema`.
    private func schema(in privateState: JSONValue) throws(RestorationError) -> Int {
        guard let member = privateState["$schema"] else { return 1 }
        guard let number = member.asInteger, number > 0 else {
            throw .unreadable(.privateState, at: JSONPointer(tokens: ["$schema"]), "must be a number from 1")
        }
        guard number <= schema else { throw .newerSchema(number, known: schema) }
        return number
    }

    /// The private part of a state as JSON; nil if states of this kind have none.
    func privateState(of state: State, _ secrets: PrivateStateEncoder.Secrets) -> [UInt8]? {
        guard hasPrivateState else { return nil }
        var members = PrivateStateEncoder(JSONWriter(), secrets)
        encodePrivateState(of: state, into: &members)
        return members.bytes
    }

    func encodePrivateState(of state: State, into members: inout PrivateStateEncoder) {
        restoration?.encodePrivate(state, schema: schema, into: &members)
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
