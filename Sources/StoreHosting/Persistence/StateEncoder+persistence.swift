import JSON

// Keeping states, and going on from them.
extension StateEncoder {
    var schema: Int { migrations.count + 1 }

    /// The selected value of a state that was kept.
    func encode(_ selection: Selection, of kept: StateSnapshot) throws(RestorationError) -> [UInt8] {
        switch selection {
        case .root: kept.json
        case .pointer(let pointer): pointer.found(in: kept.json)
        case .named:
            try encode(selection, of: restored(kept, nil).state) { kept.json }
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

    /// The private part of a state as JSON; nil if states of this kind have none.
    func privateState(of state: State, _ secrets: PrivateStateEncoder.Secrets) -> [UInt8]? {
        guard hasPrivateState else { return nil }
        var members = PrivateStateEncoder(JSONWriter(), secrets)
        encodePrivateState(of: state, into: &members)
        return members.bytes
    }

    func encodePrivateState(of state: State, into members: inout PrivateStateEncoder) {
        restoration?.visit(state, schema: schema, &members)
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
