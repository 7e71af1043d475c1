public import JSON

/// A persisted state on its way to the newest version.
@usableFromInline
struct MigratingState {
    /// The part that clients see.
    @usableFromInline var json: JSONValue
    /// The private part.
    @usableFromInline var privateState: JSONValue
    let sealer: (any SecretSealer)?
    /// Whether private members may be in `json`, because a migration does not know which ones are private.
    var isMerged = false
    /// Whether the state has the newest version already.
    var isNewest = false

    init(_ json: JSONValue, _ privateState: JSONValue, _ sealer: (any SecretSealer)?) {
        self.json = json
        self.privateState = privateState
        self.sealer = sealer
    }

    /// All members as one value, without those that are sealed.
    private var members: JSONValue { json.merging(privateState.withoutSecrets(sealer)) }

    /// A migration of the JSON.
    static func step(
        _ migration: @escaping @Sendable (inout JSONValue, inout JSONValue) throws(RestorationError) -> Void
    ) -> MigrationStep {
        { state throws(RestorationError) in try migration(&state.json, &state.privateState) }
    }

    /// The persisted state after the migrations.
    func persisted() -> JSONValue.Persisted {
        JSONValue.Persisted(
            isMerged ? json.withParts(of: privateState) : json,
            privateState: isMerged ? json.merging(privateState) : privateState, sealer: sealer)
    }

    /// Decodes an earlier version.
    func decoded<Old: Decodable>(_ type: Old.Type) throws(RestorationError) -> Old {
        do throws(JSONDecodingError) {
            return try members.decode(type)
        } catch {
            let first = error.pointer.tokens.first
            let isPrivate = first.map { json[$0] == nil && privateState[$0] != nil } ?? false
            throw .unreadable(isPrivate ? .privateState : .state, at: error.pointer.description, error.detail)
        }
    }

    /// Replaces all members but the secrets, and the calls that wait, by those of `value`.
    mutating func replace(by value: some Encodable) throws(RestorationError) {
        guard let encoded = try? JSONValue(encoding: value) else {
            throw .unreadable(.state, at: "", "cannot be migrated: \(type(of: value)) cannot be encoded")
        }
        privateState = privateState.kept(sealer)
        json = encoded
        isMerged = true
    }

    /// Replaces all members but the secrets, and the calls that wait, by those of the newest version.
    mutating func replace(by newest: StateSnapshot) throws(RestorationError) {
        guard let state = try? JSONValue(parsing: newest.json, maximumDepth: JSONValue.maxDepth),
            let hidden = try? JSONValue(parsing: newest.privateState ?? [], maximumDepth: JSONValue.maxDepth)
        else { throw .unreadable(.state, at: "", "cannot be encoded after its migration") }
        privateState = hidden.merging(privateState.kept(sealer))
        json = state
        (isMerged, isNewest) = (false, true)
    }
}

/// Turns a persisted state of one version into the next version, or into the newest one.
@usableFromInline
typealias MigrationStep = @Sendable (inout MigratingState) throws(RestorationError) -> Void

extension JSONValue {
    /// The members of both objects, and of the objects in them. The other value wins if one of both is no object.
    fileprivate func merging(_ other: JSONValue) -> JSONValue {
        guard case .object(var members) = self, case .object(let others) = other else { return other }
        for (name, value) in others { members[name] = members[name]?.merging(value) ?? value }
        return .object(members)
    }

    /// With an object for each one of a private state: the secrets of a part are restored only if the part is there.
    fileprivate func withParts(of privateState: JSONValue) -> JSONValue {
        guard case .object(var members) = self, case .object(let others) = privateState else { return self }
        for (name, value) in others where value.asObject != nil {
            members[name] = (members[name] ?? [:]).withParts(of: value)
        }
        return .object(members)
    }

    /// Whether this is a text that the sealer has sealed.
    private func isSealed(_ sealer: any SecretSealer) -> Bool {
        asString.flatMap { Sealed.open($0, by: sealer) } != nil
    }

    /// The secrets of a private state, and its calls that wait for an answer: no migration may lose them.
    fileprivate func kept(_ sealer: (any SecretSealer)?) -> JSONValue {
        guard case .object(let members) = self else { return [:] }
        var kept = JSONObject()
        for (name, value) in members {
            if sealer.map(value.isSealed) == true || PendingCalls.areSome(value) {
                kept[name] = value
            } else if case let part = value.kept(sealer), part.asObject?.isEmpty == false {
                kept[name] = part
            }
        }
        return .object(kept)
    }

    /// A private state without its secrets.
    fileprivate func withoutSecrets(_ sealer: (any SecretSealer)?) -> JSONValue {
        guard let sealer, case .object(let members) = self else { return self }
        var rest = JSONObject()
        for (name, value) in members where !value.isSealed(sealer) { rest[name] = value.withoutSecrets(sealer) }
        return .object(rest)
    }
}
