import Sessions
import StoreHosting
import Stores
import StoresTesting
import Testing

@Suite("Who watches a session")
struct PresenceTableTests {
    private static let ada = Actor.user("ada", name: "Ada")
    private static let bob = Actor.user("bob")

    private static func keys(_ list: PresenceList?) -> [String] { list?.present?.map(\.actor.id.text) ?? [] }

    @Test("is counted by actor, in the order in which they came, and streams of anonymous clients together")
    func counts() {
        var table = PresenceTable()
        for actor in [Self.bob, Self.ada, nil, Self.bob, .anonymous] {
            table.opened(by: actor, isReader: false, now: 0)
        }
        let list = table.list(now: 0)
        #expect(list.present == [.init(Self.bob, streams: 2), .init(Self.ada, streams: 1)])
        #expect(list.anonymous == 2)
        table.closed(by: nil, isReader: false, grace: 1000, now: 1)
        #expect(table.list(now: 1).anonymous == 1)
        // Nobody reads it.
        #expect(table.due == nil && table.news(now: 500) == nil)
    }

    @Test("tells kinds and ids apart, and not names, roles or two spellings that only look the same")
    func identity() {
        var table = PresenceTable()
        table.opened(by: .user("caf\u{e9}", name: "One", roles: ["a"]), isReader: false, now: 0)
        table.opened(by: .user("caf\u{e9}", name: "Two"), isReader: false, now: 0)
        table.opened(by: .user("cafe\u{301}"), isReader: false, now: 0)
        table.opened(by: .guest("caf\u{e9}"), isReader: false, now: 0)
        let present = table.list(now: 0).present ?? []
        #expect(present.map(\.streams) == [2, 1, 1])
        #expect(present.first?.actor.name == "Two")
    }

    @Test("is told to a new reader as a whole, with itself, and to the others as a change")
    func firstWhole() {
        var table = PresenceTable()
        table.opened(by: Self.ada, isReader: true, now: 0)
        let first = table.news(now: 0)
        #expect(Self.keys(first?.whole) == ["ada"] && first?.change == nil)
        table.opened(by: Self.bob, isReader: true, now: 10)
        #expect(table.due == PresenceTable.interval && table.news(now: 199) == nil)
        let second = table.news(now: 200)
        #expect(Self.keys(second?.whole) == ["ada", "bob"])
        #expect(second?.change == .some(joined: [.init(Self.bob, streams: 1)], left: [], anonymous: 0))
        #expect(table.due == nil && table.news(now: 1000) == nil)
        // A second stream of somebody who is there is no change.
        table.opened(by: Self.bob, isReader: false, now: 1000)
        #expect(table.news(now: 1000) == nil)
        table.opened(by: nil, isReader: false, now: 1000)
        #expect(table.news(now: 1000)?.change == .some(joined: [], left: [], anonymous: 1))
    }

    @Test("has left after the grace, and not if it comes back within it")
    func grace() {
        var table = PresenceTable()
        table.opened(by: Self.ada, isReader: true, now: 0)
        table.opened(by: Self.bob, isReader: false, now: 0)
        _ = table.news(now: 0)
        table.closed(by: Self.bob, isReader: false, grace: 10_000, now: 1000)
        #expect(table.due == 11_000 && table.news(now: 10_999) == nil)
        #expect(table.list(now: 10_999).present?.last == .init(Self.bob, streams: 0))
        table.opened(by: Self.bob, isReader: false, now: 10_999)
        #expect(table.due == 11_000)
        #expect(table.news(now: 11_000) == nil && table.due == nil)
        table.closed(by: Self.bob, isReader: false, grace: 10_000, now: 20_000)
        #expect(
            table.news(now: 30_000)?.change == .some(joined: [], left: [.init(Self.bob, streams: 0)], anonymous: 0))
        // Without a grace it leaves at once.
        table.opened(by: Self.bob, isReader: false, now: 40_000)
        _ = table.news(now: 40_000)
        table.closed(by: Self.bob, isReader: false, grace: 0, now: 50_000)
        #expect(Self.keys(table.list(now: 50_000)) == ["ada"])
    }

    @Test("is only counted beyond 1000 actors, or beyond a mebibyte of them, and listed again below")
    func bounds() {
        var table = PresenceTable()
        table.opened(by: nil, isReader: true, now: 0)
        for number in 1...PresenceList.maxActors {
            table.opened(by: .user(ActorID("\(number)")), isReader: false, now: 0)
        }
        #expect(table.news(now: 0)?.whole?.present?.count == 1000)
        table.opened(by: Self.ada, isReader: false, now: 300)
        let counted = PresenceList(present: nil, actorCount: 1001, anonymous: 1)
        #expect(table.news(now: 300)?.change == .all(counted))
        table.opened(by: Self.bob, isReader: false, now: 600)
        #expect(table.news(now: 600)?.change == .all(PresenceList(present: nil, actorCount: 1002, anonymous: 1)))
        for actor in [Self.ada, Self.bob] { table.closed(by: actor, isReader: false, grace: 0, now: 900) }
        guard case .all(let list)? = table.news(now: 900)?.change else {
            Issue.record("the list is whole again")
            return
        }
        #expect(list.present?.count == 1000)

        var long = PresenceTable()
        let name = String(repeating: "x", count: 2000)
        for number in 1...600 { long.opened(by: .user(ActorID("\(number)"), name: name), isReader: false, now: 0) }
        #expect(long.list(now: 0) == PresenceList(present: nil, actorCount: 600))
    }

    @Test("remembers a bounded number of actors without a stream")
    func leavingIsBounded() {
        var table = PresenceTable()
        for number in 1...5000 {
            let actor = Actor.user(ActorID("\(number)"))
            table.opened(by: actor, isReader: false, now: 0)
            table.closed(by: actor, isReader: false, grace: 10_000, now: 0)
        }
        #expect(table.list(now: 0).actorCount == PresenceTable.maxLeaving)
        #expect(table.list(now: 10_000).actorCount == 0)
    }

    @Test("is told five times a second at most, however many join")
    func rate() {
        var table = PresenceTable()
        table.opened(by: Self.ada, isReader: true, now: 0)
        var times: [Int] = []
        for number in 0..<10_000 {
            table.opened(by: .user(ActorID("\(number)")), isReader: number.isMultiple(of: 7), now: number / 10)
            if let due = table.due, due <= number / 10, table.news(now: number / 10) != nil {
                times.append(number / 10)
            }
        }
        #expect(times == [0, 200, 400, 600, 800])
        #expect(table.news(now: 1000)?.whole?.actorCount == 10_001)
    }

    @Test("is what a simple count says, for each reader, whatever comes and goes", arguments: 0..<60)
    func model(seed: Int) {
        var run = ModelRun(seed: UInt64(seed))
        for _ in 0..<400 { run.step() }
    }
}

/// A table beside a list of all streams that there were, and what each reader has been told.
private struct ModelRun {
    private struct Stream {
        let actor: Actor?
        var reader: PresenceReader?
        var view: Set<String>?
        var anonymous = 0
    }

    private static let grace = 700

    private var random: SeededGenerator
    private var now = 1
    private var table = PresenceTable()
    private var streams: [Stream] = []
    private var lastClosed: [String: Int] = [:]
    private var lastNews = -PresenceTable.interval

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private var present: Set<String> {
        let open = streams.compactMap { $0.actor?.id.text }
        return Set(open).union(lastClosed.filter { $0.value + Self.grace > now }.keys)
    }

    private var anonymous: Int { streams.count { $0.actor == nil } }

    mutating func step() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: open()
        case 3..<6: close()
        case 6: missNews()
        default: now += Int.random(in: 0...400, using: &random)
        }
        let list = table.list(now: now)
        #expect(Set(list.present?.map(\.actor.id.text) ?? []) == present)
        #expect(list.anonymous == anonymous)
        let due = table.due
        guard let news = table.news(now: now) else { return }
        #expect(due.map { $0 <= now } == true)
        #expect(now - lastNews >= PresenceTable.interval)
        lastNews = now
        tell(news)
    }

    private mutating func open() {
        let id = Int.random(in: 0..<6, using: &random)
        let actor = id == 0 ? nil : Actor.user(ActorID("\(id)"))
        var reader: PresenceReader?
        if Bool.random(using: &random) {
            reader = PresenceReader()
            reader?.begin(after: table.newsNumber)
        }
        table.opened(by: actor, isReader: reader != nil, now: now)
        streams.append(Stream(actor: actor, reader: reader))
        if let actor { lastClosed[actor.id.text] = nil }
    }

    private mutating func close() {
        guard let index = streams.indices.randomElement(using: &random) else { return }
        let stream = streams.remove(at: index)
        table.closed(by: stream.actor, isReader: stream.reader != nil, grace: Self.grace, now: now)
        if let actor = stream.actor, !streams.contains(where: { $0.actor?.id == actor.id }) {
            lastClosed[actor.id.text] = now
        }
    }

    private mutating func missNews() {
        guard let index = streams.indices.filter({ streams[$0].view != nil }).randomElement(using: &random) else {
            return
        }
        streams[index].reader?.miss()
        streams[index].view = nil
        table.missedNews()
    }

    private mutating func tell(_ news: PresenceNews) {
        let whole = news.whole.map(PresenceChange.all)
        for index in streams.indices {
            guard let event = streams[index].reader?.take(news.number, whole: whole, change: news.change) else {
                // Whoever gets nothing knows it already.
                if streams[index].reader != nil { #expect(streams[index].view == present) }
                continue
            }
            switch event {
            case .all(let list):
                streams[index].view = Set(list.present?.map(\.actor.id.text) ?? [])
                streams[index].anonymous = list.anonymous
            case .some(let joined, let left, let anonymous):
                let (came, went) = (Set(joined.map(\.actor.id.text)), Set(left.map(\.actor.id.text)))
                #expect(streams[index].view?.isDisjoint(with: came) == true)
                #expect(streams[index].view?.isSuperset(of: went) == true)
                streams[index].view?.formUnion(came)
                streams[index].view?.subtract(went)
                streams[index].anonymous = anonymous
            }
            #expect(streams[index].view == present)
            #expect(streams[index].anonymous == anonymous)
        }
    }
}
