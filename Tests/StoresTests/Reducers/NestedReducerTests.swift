import Stores
import StoresTesting
import Testing

/// Reducers in optionals, cases and elements.
@Suite struct NestedReducerTests {
    @Test(arguments: Room.filled)
    func changesPartsInPlace(_ action: RoomAction) {
        var state = Room.full()
        let before = state.buffers
        #expect(RoomReducer().apply(action, to: &state) == .accept)
        #expect(state.buffers == before)
        #expect(state.sum == 1)
    }

    @Test(arguments: Room.filled)
    func ignoresAnActionForAMissingPart(_ action: RoomAction) {
        var state = Room()
        #expect(RoomReducer().apply(action, to: &state) == .ignore)
        #expect(state == Room())
    }

    /// In whatever order parts accept and refuse, and however deep they stand.
    @Test(arguments: 0..<10)
    func aRejectionLeavesNoTrace(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var state = Bool.random(using: &random) ? Room.full() : Room()
        for _ in 0..<50 {
            let action = RoomAction.every((0..<5).map { _ in Self.action(&random) })
            let (reducer, before) = (EveryReducer(), state)
            let expected = reducer.decide(action, in: before)
            #expect(reducer.apply(action, to: &state) == expected)
            if expected != .accept { #expect(state == before) }
        }
        #expect(state != Room() || !state.hasRooms)
    }

    private static func action(_ random: inout SeededGenerator) -> TallyAction {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .refuse
        case 1...3: .skip
        default: .add(1)
        }
    }
}

/// A state with a part of each kind.
struct Room: Sendable, Equatable {
    enum Phase: Sendable, Equatable {
        case idle
        case busy(Tally)
    }

    var draft: Tally?
    var phase = Phase.idle
    var byName: [String: Tally] = [:]
    var list: [Tally] = []
    var table = EntityTable<Row>()

    struct Row: Identifiable, Sendable, Equatable {
        let id: Int
        var tally = Tally()
    }

    /// A room with every part, each with a buffer of its own that has free capacity.
    static func full() -> Room {
        var room = Room()
        room.draft = roomy()
        room.phase = .busy(roomy())
        room.byName = ["a": roomy()]
        room.list = [roomy()]
        room.table.insert(Row(id: 1, tally: roomy()))
        return room
    }

    static let filled: [RoomAction] = [
        .draft(.add(1)), .busy(.add(1)), .named(ElementAction("a", .add(1))), .placed(ElementAction(0, .add(1))),
        .row(ElementAction(1, .add(1))),
    ]

    private static func roomy() -> Tally {
        var tally = Tally()
        tally.values.reserveCapacity(100)
        return tally
    }

    private var tallies: [Tally] {
        var all = [draft, byName["a"], list.first, table[1]?.tally].compactMap(\.self)
        if case .busy(let tally) = phase { all.append(tally) }
        return all
    }

    var hasRooms: Bool { !tallies.isEmpty }
    var sum: Int { tallies.flatMap(\.values).reduce(0, +) }
    /// Where the numbers of each part stand in memory: the same as long as nothing was copied.
    var buffers: [UInt] { tallies.map { $0.values.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } } }
}

enum RoomAction: Sendable, Equatable {
    case draft(TallyAction)
    case busy(TallyAction)
    case named(ElementAction<String, TallyAction>)
    case placed(ElementAction<Int, TallyAction>)
    case row(ElementAction<Int, TallyAction>)
    /// One for each of the parts, in this order.
    case every([TallyAction])
}

struct RoomReducer: ComposedReducer {
    var body: some Reducer<Room, RoomAction> {
        Scope(\.draft, .draft, IfPresent(TallyReducer()))
        Scope(\.phase, .busy, IfCase(.busy, .whole, TallyReducer()))
        Scope(\.byName, .named, ForEach(TallyReducer()))
        Scope(\.list, .placed, ForEach(TallyReducer()))
        Scope(\.table, .row, ForEach(Scope(\.tally, .whole, TallyReducer())))
    }
}

/// The reducers of ``RoomReducer``, each with its own action of ``RoomAction/every(_:)``.
private struct EveryReducer: ComposedReducer {
    var body: some Reducer<Room, RoomAction> {
        Scope(\.draft, .every(0), IfPresent(TallyReducer()))
        Scope(\.phase, .every(1), IfCase(.busy, .whole, TallyReducer()))
        Scope(\.byName, .every(2, of: "a"), ForEach(TallyReducer()))
        Scope(\.list, .every(3, of: 0), ForEach(TallyReducer()))
        Scope(\.table, .every(4, of: 1), ForEach(Scope(\.tally, .whole, TallyReducer())))
    }
}

extension CasePath<Room.Phase, Tally> {
    fileprivate static var busy: Self {
        Self(embed: { .busy($0) }, extract: { if case .busy(let tally) = $0 { $1(tally) } })
    }
}

extension CasePath<RoomAction, TallyAction> {
    fileprivate static var draft: Self {
        Self(embed: { .draft($0) }, extract: { if case .draft(let action) = $0 { $1(action) } })
    }
    fileprivate static var busy: Self {
        Self(embed: { .busy($0) }, extract: { if case .busy(let action) = $0 { $1(action) } })
    }
    fileprivate static func every(_ index: Int) -> Self {
        Self(embed: { .every([$0]) }, extract: { if case .every(let actions) = $0 { $1(actions[index]) } })
    }
}

extension CasePath<RoomAction, ElementAction<String, TallyAction>> {
    fileprivate static var named: Self {
        Self(embed: { .named($0) }, extract: { if case .named(let action) = $0 { $1(action) } })
    }
}

extension CasePath<RoomAction, ElementAction<Int, TallyAction>> {
    fileprivate static var placed: Self {
        Self(embed: { .placed($0) }, extract: { if case .placed(let action) = $0 { $1(action) } })
    }
    fileprivate static var row: Self {
        Self(embed: { .row($0) }, extract: { if case .row(let action) = $0 { $1(action) } })
    }
}

extension CasePath {
    fileprivate static func every<Key>(_ index: Int, of key: Key) -> Self
    where Root == RoomAction, Key: Sendable, Value == ElementAction<Key, TallyAction> {
        Self(
            embed: { .every([$0.action]) },
            extract: { if case .every(let actions) = $0 { $1(Value(key, actions[index])) } })
    }
}
