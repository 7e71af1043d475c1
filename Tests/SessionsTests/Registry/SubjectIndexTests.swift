import Sessions
import StoreHosting
import Stores
import Testing

@Suite("The index of the subjects of sessions in memory")
struct SubjectIndexTests {
    private struct Entry {
        var owner: ActorID?
        var members: Set<ActorID> = []
    }

    private static let subjects = ["ada", "caf\u{e9}", "cafe\u{301}", "guest:1", "Ada"].map { ActorID($0) }

    @Test("has the sessions that a model has", arguments: 0..<8)
    func model(seed: UInt64) {
        var random = Generator(state: seed)
        let index = SubjectIndex()
        let ids = (0..<40).map { _ in SessionID.random() }
        var model: [SessionID: Entry] = [:]
        for _ in 0..<2000 {
            let id = ids.randomElement(using: &random) ?? ids[0]
            let members = Set(Self.subjects.filter { _ in Bool.random(using: &random) })
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                index.remove(id)
                model[id] = nil
            case 1, 2:
                guard model[id] == nil else { continue }
                let owner = Bool.random(using: &random) ? Self.subjects.randomElement(using: &random) : nil
                index.insert(id, owner: owner, members: Array(members))
                model[id] = Entry(owner: owner, members: members)
            default:
                let change = MemberChange(
                    added: Array(members), removed: Self.subjects.filter { !members.contains($0) })
                index.apply(change, to: id)
                model[id]?.members = members
            }
        }
        for subject in Self.subjects {
            for role in [SessionRole?.none, .owner, .member] {
                let wanted = model.filter { _, entry in
                    role != .member && entry.owner == subject || role != .owner && entry.members.contains(subject)
                }
                var (found, last): ([SessionID], SessionID?) = ([], nil)
                repeat {
                    let page = index.sessions(of: subject, as: role, after: last, limit: 7)
                    found += page
                    last = page.count == 7 ? page.last : nil
                } while last != nil
                #expect(found == wanted.keys.sorted())
            }
        }
    }

    @Test("has thousands of sessions of one subject in their order, as some come and go")
    func many() {
        var random = Generator(state: 1)
        let index = SubjectIndex()
        var model: Set<SessionID> = []
        func expectPages(of limit: Int) {
            var (found, last): ([SessionID], SessionID?) = ([], nil)
            repeat {
                let page = index.sessions(of: "ada", as: .owner, after: last, limit: limit)
                found += page
                last = page.count == limit ? page.last : nil
            } while last != nil
            #expect(found == model.sorted())
        }
        for _ in 0..<3000 {
            let id = SessionID.random()
            index.insert(id, owner: "ada", members: [])
            model.insert(id)
            if Int.random(in: 0..<4, using: &random) == 0, let gone = model.first {
                index.remove(gone)
                model.remove(gone)
            }
        }
        for limit in [1, 100, 256, 10_000] { expectPages(of: limit) }
        for id in model.sorted().dropLast(3) {
            index.remove(id)
            model.remove(id)
        }
        expectPages(of: 2)
        // After an id that is not there.
        let last = model.max()
        #expect(index.sessions(of: "ada", as: .owner, after: .random(), limit: 10).allSatisfy(model.contains))
        #expect(index.sessions(of: "ada", as: .owner, after: last, limit: 10).isEmpty)
    }

    private struct Hall: Sendable, Equatable {
        var count = 3000
    }

    @Test("has nothing of a session that ends as soon as it is found", .timeLimit(.minutes(5)))
    func endedAtOnce() async throws {
        let definition = StoreDefinition("hall", "A full hall.", Hall()) {
            Member("count", \.count)
            Action("grow", "Counts.") { $0.count += 1 }
            Members { hall in (0..<hall.count).lazy.map { "guest \($0)" } }
        }
        let clock = WallClock()
        let runtime = KindRuntime(definition.kind, .standard, SessionClock(clock), nil)
        let registry = SessionRegistry(SessionPolicy(), journal: nil, clock: clock)
        for _ in 0..<20 {
            let id = SessionID.random()
            let end = Task {
                while true {
                    if let session = registry.resident(id) { return await registry.end(session) }
                    await Task.yield()
                }
            }
            _ = registry.create(id) { id, now in
                Session(
                    id, runtime, definition.kind.makeStore(), journal: nil, createdAt: now, historyID: "", owner: "ada")
            }
            _ = await end.value
            for subject in ["ada", "guest 1"] as [ActorID] {
                #expect(registry.subjects.sessions(of: subject, as: nil, after: nil, limit: 10).isEmpty)
            }
        }
    }

    /// Chance that comes out the same each time.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
            return mixed ^ mixed >> 31
        }
    }
}
