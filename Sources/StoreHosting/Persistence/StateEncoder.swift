import JSON
import Stores

/// Encodes and restores the states of one kind's stores.
///
/// All stores of the kind share it. ``HostCommitObserver`` holds the data of one store.
@usableFromInline
final class StateEncoder<State: HostedState>: Sendable {
    private let selectors: [String: Selector<State>]
    let restoration: StatePersistence<State>?
    let migrations: [StoreKind.Migration]
    /// The initial state of every new store.
    let initial: StateSnapshot
    /// The baseline of the diff of the first commit.
    let initialBaseline: EncodedBaseline
    /// Whether the states have private members.
    let hasPrivateState: Bool

    @usableFromInline
    init(selectors: [Selector<State>], migrations: [StoreKind.Migration]) {
        self.selectors = Dictionary(selectors.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let state = State()
        initialBaseline = EncodedBaseline(of: state)
        let restoration = State.restoration
        self.restoration = restoration
        self.migrations = migrations
        var members = PrivateStateEncoder(JSONWriter(), .leftOut)
        restoration?.encodePrivate(state, schema: migrations.count + 1, into: &members)
        // A state always has the same private members, so the initial one shows whether there are any.
        hasPrivateState = members.count > 0
        initial = StateSnapshot(json: JSONWriter.json(of: state), privateState: hasPrivateState ? members.bytes : nil)
    }

    /// The selected value of a state, as JSON.
    ///
    /// A pointer into an ``ObjectState`` costs what it selects: only the member on its path is encoded.
    ///
    /// - Parameter root: the whole state as JSON, called only if the selection needs it.
    @usableFromInline
    func encode(_ selection: Selection, of state: State, root: () -> [UInt8]) -> [UInt8] {
        switch selection {
        case .root: return root()
        case .pointer(let pointer):
            guard !pointer.tokens.isEmpty, let object = state as? any ObjectState else {
                return pointer.found(in: root())
            }
            return PointedMember.json(of: object, pointer)
        case .named(let name):
            var json = JSONWriter()
            if let selector = selectors[name] { selector.write(state, &json) } else { json.null() }
            return json.finish()
        }
    }

    func json(of state: State) -> [UInt8] { JSONWriter.json(of: state) }
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
        // The same id may have other texts too, which are not the member's name.
        guard let id = Entity.ID(name), id.description == name, let entity = table[id] else { return }
        depth += 1
        encode { $0.value(entity) }
        depth -= 1
    }
}

/// The whole state of one revision as JSON.
@usableFromInline
struct StateEncoding: Sendable {
    let revision: Int
    let json: [UInt8]
}

extension JSONPointer {
    /// The value that the pointer finds in `json`, as JSON; `null` if it finds nothing.
    func found(in json: [UInt8]) -> [UInt8] { range(in: json).map { Array(json[$0]) } ?? Array("null".utf8) }
}

extension JSONWriter {
    fileprivate static func json(of state: some HostedState) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.value(state)
        return writer.finish()
    }
}
