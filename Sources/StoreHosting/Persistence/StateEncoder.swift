import JSON
import Stores

/// Encodes and restores the states of one kind's stores.
///
/// All stores of the kind share it. ``HostCommitObserver`` holds the data of one store.
@usableFromInline
final class StateEncoder<State: DiffableState>: Sendable {
    @usableFromInline typealias ChangeFinder = @Sendable (UnsafePointer<State>, MemberSet, inout StateDiffer) -> Void

    @usableFromInline typealias RightsFinder = @Sendable (Actor, UnsafePointer<State>) -> AccessRights

    private let selectors: [String: (selector: Selector<State>, faultName: SelectorFaultName)]
    /// The rights that a state gives to an actor; nil if it gives none.
    let findRights: RightsFinder?
    /// Finds the members of a state; nil if the kind names none.
    @usableFromInline let memberIDs: MemberIDs<State>?
    let restoration: StatePersistence<State>?
    let migrations: [MigrationStep]
    /// The initial state of every new store.
    @usableFromInline let initialState: State
    /// The initial state as it is persisted.
    let initial: StateSnapshot
    /// The baseline of the diff of the first commit.
    let initialBaseline: EncodedBaseline
    /// Whether the states have private members.
    let hasPrivateState: Bool
    /// The members that have something private, or more.
    let privateMembers: MemberSet
    /// Passes members of a state to a differ, if that is not done by ``DiffableState/findChanges(_:)``.
    @usableFromInline let findChanges: ChangeFinder?
    /// Whether visiting the members writes the same text as encoding the state. A kind can encode its states in another
    /// way.
    let visitsWhatItEncodes: Bool
    /// Why the initial state cannot be encoded; nil if it can.
    let problem: String?

    @usableFromInline
    init(
        _ state: State, _ restoration: StatePersistence<State>?, selectors: [Selector<State>],
        migrations: [MigrationStep], privateMembers: MemberSet = .all, findChanges: ChangeFinder? = nil,
        findRights: RightsFinder? = nil, memberIDs: MemberIDs<State>? = nil
    ) {
        self.findRights = findRights
        self.memberIDs = memberIDs
        self.privateMembers = privateMembers
        self.findChanges = findChanges
        self.selectors = Dictionary(
            selectors.map { ($0.name, ($0, SelectorFaultName($0.name))) }, uniquingKeysWith: { first, _ in first })
        initialState = state
        let json = JSONWriter.json(of: state)
        var problem: String?
        do throws(EncodingFailure) {
            initialBaseline = try EncodedBaseline(of: state)
        } catch {
            initialBaseline = EncodedBaseline()
            problem = error.description
        }
        self.restoration = restoration
        self.migrations = migrations
        var members = JSONValue.PrivateEncoder(JSONWriter(), .leftOut)
        withUnsafePointer(to: state) { state in
            restoration?.encodePrivate(state, schema: migrations.count + 1, into: &members)
        }
        // A state always has the same private members, so the initial one shows whether there are any.
        hasPrivateState = members.count > 0
        self.problem = problem ?? members.failure
        initial = StateSnapshot(json: json, privateState: hasPrivateState ? members.bytes : nil)
        let visited = (state as? any ObjectState).map { StateEncoding(0, of: $0, after: nil).json } ?? json
        visitsWhatItEncodes =
            visited == json && (!initialBaseline.isComplete || initialBaseline.text == json)
    }

    /// The selected value of a state, as JSON.
    ///
    /// A pointer into an ``ObjectState`` costs no more than its selection: only the member on its path is encoded.
    ///
    /// - Parameters:
    ///   - names: those of the kind, for the note of a fault.
    ///   - label: names the store there.
    ///   - root: the whole state as JSON, called only if the selection needs it.
    func encode(
        _ selection: Selection, of state: UnsafePointer<State>, in names: FaultNames, _ label: FaultLabel,
        root: () -> [UInt8]
    ) -> [UInt8] {
        switch selection {
        case .root: return root()
        case .pointer(let pointer):
            guard !pointer.tokens.isEmpty, let object = state.pointee as? any ObjectState else {
                return pointer.found(in: root())
            }
            return PointedMember.json(of: object, pointer)
        case .named(let name, let pointer): return value(name, pointer, for: nil, state, names, label)
        case .personal(let name, let pointer, let reader):
            return value(name, pointer, for: reader, state, names, label)
        }
    }

    func encode(
        _ selection: Selection, of state: State, in names: FaultNames, _ label: FaultLabel = FaultLabel(""),
        root: () -> [UInt8]
    ) -> [UInt8] {
        withUnsafePointer(to: state) { encode(selection, of: $0, in: names, label, root: root) }
    }

    /// The value of a selector, or the part of it that a pointer names.
    private func value(
        _ name: String, _ pointer: JSONPointer, for reader: Actor?, _ state: UnsafePointer<State>,
        _ names: FaultNames, _ label: FaultLabel
    ) -> [UInt8] {
        var json = JSONWriter()
        if let (selector, faultName) = selectors[name] {
            FaultNote.naming(faultName, of: names, label) { selector.write(state.pointee, reader, &json) }
        } else {
            json.null()
        }
        return pointer.tokens.isEmpty ? json.finish() : pointer.found(in: json.finish())
    }

    func json(of state: State) -> [UInt8] { JSONWriter.json(of: state) }

    /// The whole state as JSON. The parts that have not changed since `previous` are copied from there.
    func encoding(of state: State, at revision: Int, after previous: StateEncoding?) -> StateEncoding {
        guard visitsWhatItEncodes, let object = state as? any ObjectState else {
            return StateEncoding(revision: revision, json: json(of: state))
        }
        return StateEncoding(revision, of: object, after: previous)
    }
}

/// Encodes the member on the path of a pointer, and skips all others.
private struct PointedMember: ~Copyable, MemberVisitor {
    private let tokens: [String]
    /// The token that a member of the current object must have as its name.
    private var depth = 0
    private var json: [UInt8]?

    /// The value that the pointer, which has a token, finds in an object; `null` if it finds nothing.
    static func json(of object: some ObjectState, _ pointer: JSONPointer) -> [UInt8] {
        var member = PointedMember(pointer)
        object.visitMembers(&member)
        return member.json ?? Array("null".utf8)
    }

    private init(_ pointer: JSONPointer) { tokens = pointer.tokens }

    private func isNext(_ name: StaticString) -> Bool {
        json == nil && name.withUTF8Buffer { $0.elementsEqual(tokens[depth].utf8) }
    }

    /// Encodes the member at the current depth, and finds the rest of the path in its JSON.
    private mutating func encode(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        let found = writer.finish()
        json = depth + 1 == tokens.count ? found : JSONPointer(tokens: Array(tokens[(depth + 1)...])).found(in: found)
    }

    mutating func member(_ name: StaticString, _ value: some JSONEncodable) {
        if isNext(name) { encode { $0.value(value) } }
    }

    mutating func member(_ name: StaticString, _ value: some JSONEncodable, stamp: ChangeToken) { member(name, value) }

    mutating func member(_ name: StaticString, _ part: some ObjectState) {
        guard isNext(name) else { return }
        if depth + 1 == tokens.count { return encode { $0.value(part) } }
        depth += 1
        part.visitMembers(&self)
        depth -= 1
    }

    mutating func members<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: JSONEncodable & LosslessStringConvertible {
        if isNext("ids") {
            encode { json in
                json.array { json in for id in table.ids { json.value(id) } }
            }
        } else if isNext("entities") {
            if depth + 1 < tokens.count { return member(of: table) }
            encode { json in
                json.object { json in
                    for entity in table.ordered { json.member(name: entity.id.description, entity) }
                }
            }
        }
    }

    private mutating func member<Entity>(of table: EntityTable<Entity>)
    where Entity: JSONEncodable, Entity.ID: LosslessStringConvertible {
        let name = tokens[depth + 1]
        // An id may have other texts too, which are not the member's name.
        guard let id = Entity.ID(name), id.description == name, let entity = table[id] else { return }
        depth += 1
        encode { $0.value(entity) }
        depth -= 1
    }
}

extension JSONPointer {
    /// The value that the pointer finds in `json`, as JSON; `null` if it finds nothing.
    func found(in json: [UInt8]) -> [UInt8] { range(in: json).map { Array(json[$0]) } ?? Array("null".utf8) }
}

extension JSONWriter {
    fileprivate static func json(of state: some DiffableState) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.value(state)
        return writer.finish()
    }
}

// Persisting and restoring states.
extension StateEncoder {
    var schema: Int { migrations.count + 1 }

    /// The selected value of a persisted state, as JSON.
    func encode(
        _ selection: Selection, of persisted: StateSnapshot, in names: FaultNames
    ) throws(RestorationError) -> [UInt8] {
        switch selection {
        case .root: persisted.json
        case .pointer(let pointer): pointer.found(in: persisted.json)
        case .named, .personal:
            encode(selection, of: try restored(persisted, nil).state, in: names) { persisted.json }
        }
    }

    /// The selected value of a persisted state, as JSON, with the same bytes as when a store showed that state.
    ///
    /// Patches tell the values of a state but not the order of its members. So the members are put into the order in
    /// which the restored state writes them. If the state cannot be restored, they stay as they are.
    func encodeAsShown(
        _ selection: Selection, of persisted: StateSnapshot, _ sealer: (any SecretSealer)?, in names: FaultNames
    ) throws(RestorationError) -> [UInt8] {
        guard let state = try? restored(persisted, sealer).state else {
            return try encode(selection, of: persisted, in: names)
        }
        return encode(selection, of: state, in: names) {
            let written = json(of: state)
            guard written != persisted.json, let order = try? Self.value(written, of: .state),
                let value = try? Self.value(persisted.json, of: .state)
            else { return persisted.json }
            return value.ordered(as: order).encoded()
        }
    }

    /// Restores a persisted state, and migrates it if its schema is older.
    ///
    /// - Returns: the state, and the schema that it was migrated from, which is the same if only members were missing; nil if it
    ///   was not migrated.
    @usableFromInline
    func restored(
        _ persisted: StateSnapshot, _ sealer: (any SecretSealer)?
    ) throws(RestorationError) -> (state: State, migratedFrom: Int?) {
        guard let restoration else { throw .notRestorable }
        var migrating = MigratingState(
            try Self.value(persisted.json, of: .state),
            try Self.value(persisted.privateState ?? Array("{}".utf8), of: .privateState), sealer)
        let from = try schema(in: migrating.privateState)
        for migration in migrations.dropFirst(from - 1) where !migrating.isNewest { try migration(&migrating) }
        let (state, isComplete) = try restoration.restore(migrating.persisted())
        return (state, from == schema && isComplete ? nil : from)
    }

    /// The schema of a persisted state; 1 if the private state does not have `$schema`.
    private func schema(in privateState: JSONValue) throws(RestorationError) -> Int {
        guard let member = privateState["$schema"] else { return 1 }
        guard let number = member.asInteger, number > 0 else {
            throw .unreadable(.privateState, at: "/$schema", "must be a number from 1")
        }
        guard number <= schema else { throw .newerSchema(number, known: schema) }
        return number
    }

    /// The private part of a state as JSON; nil if states of this kind have none.
    func privateState(of state: UnsafePointer<State>, _ secrets: JSONValue.PrivateEncoder.Secrets) -> [UInt8]? {
        guard hasPrivateState else { return nil }
        var members = JSONValue.PrivateEncoder(JSONWriter(), secrets)
        encodePrivateState(of: state, into: &members)
        return members.bytes
    }

    @usableFromInline
    func encodePrivateState(of state: UnsafePointer<State>, into members: inout JSONValue.PrivateEncoder) {
        restoration?.encodePrivate(state, schema: schema, into: &members)
    }

    private static func value(
        _ json: [UInt8], of part: RestorationError.Section
    ) throws(RestorationError) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: json, maximumDepth: JSONValue.maxDepth)
        } catch {
            throw .malformed(part)
        }
    }
}

extension JSONValue {
    /// A copy of this value whose objects have their members in the order that they have in `other`.
    fileprivate func ordered(as other: JSONValue) -> JSONValue {
        switch (self, other) {
        case (.object(let members), .object(let others)):
            var ordered = JSONObject()
            for (name, value) in others {
                if let member = members[name] { ordered[name] = member.ordered(as: value) }
            }
            if ordered.count < members.count {
                for (name, value) in members where ordered[name] == nil { ordered[name] = value }
            }
            return .object(ordered)
        case (.array(let elements), .array(let others)):
            return .array(
                zip(elements, others).map { $0.ordered(as: $1) } + elements.dropFirst(others.count))
        default: return self
        }
    }
}
