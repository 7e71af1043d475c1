import JSON
import Locks
import Sessions
import StoreHosting
import StoreKinds
import StorehouseServer
import Stores
import Testing
import Threads

/// The bytes of a commit for the streams of a topic: streams that show the same share them.
@Suite struct EventFrameTests {
    private final class Reader: Subscriber {
        private(set) var frames: [EventFrame] = []

        init(_ shows: StreamExtras, _ client: ClientKey? = nil) {
            super.init(StreamFormat.state.subscription(to: .root), shows: shows, from: 0)
            sync = client.map(SyncReader.init)
        }

        var event: EncodedEvent? { frames.last?.event(for: shows) }

        var text: String { String(decoding: event?.plain ?? [], as: UTF8.self) }

        override func send(_ frame: EventFrame) { frames.append(frame) }
    }

    /// The thread of a test as a loop.
    private final class Loop: SerialLoop {
        let anchor = LoopThread()
        private let jobs = Locked<[@Sendable () -> Void]>([])

        func execute(_ job: @escaping @Sendable () -> Void) -> Bool {
            jobs.withLock { $0.append(job) }
            return true
        }

        func run() {
            let due = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            for job in due { job() }
        }
    }

    private let session: Session
    private let loop = Loop()
    private let client = ClientKey("kJ2vQ5Zr8mXw1bTn3yLd7A", .holder)

    init() {
        let kind = Planner.store.kind
        session = Session(
            .random(), KindRuntime(kind, .standard, SessionClock(WallClock()), nil), kind.makeStore(), journal: nil,
            createdAt: 0, historyID: "h")
        session.clients.withRecords { _ = $0.create(client, mark: { "the-mark" }, now: 0) }
    }

    private func open(_ shows: StreamExtras...) throws -> [Reader] {
        loop.anchor.enter()
        return try shows.map { shows in
            let reader = Reader(shows, shows.contains(.through) ? client : nil)
            _ = try session.events.subscribe(
                reader, on: loop, to: reader.subscription, seen: nil, earlier: nil,
                within: StreamLimits(maxPerSession: 10, maxViews: 1, maxActorViews: 0, maxMissedBytes: 0))
            return reader
        }
    }

    private func close(_ readers: [Reader]) {
        for reader in readers { session.events.unsubscribe(reader) }
        session.detach()
    }

    /// - Parameter number: that of the client's entry which it is; nil for an action of somebody else.
    private func add(_ count: Int = 1, number: Int? = nil) {
        let task: JSONValue = ["type": "tasks/add", "payload": ["title": .string(String(repeating: "x", count: 400))]]
        var options = DispatchOptions()
        options.tag = number.map { EntryTag(client, $0) }
        session.store.dispatch(.array(Array(repeating: task, count: count)), options) { _ in }
        loop.run()
    }

    /// Where the bytes of an event are.
    private static func place(_ event: EncodedEvent?) -> UnsafeRawPointer? {
        switch event?.content {
        case .framed(let bytes, _)?: bytes.withUnsafeBytes(\.baseAddress)
        case .parts(_, let value, _)?: value.withUnsafeBytes(\.baseAddress)
        case nil: nil
        }
    }

    @Test func `where nobody is named, a stream that asks for names gets the bytes of the others`() throws {
        let readers = try open([], .through, .actions, [.actions, .through])
        add()
        let places = readers.map { Self.place($0.event) }
        #expect(places[0] != nil && places[0] == places[1])
        #expect(places[2] != nil && places[2] == places[3] && places[2] != places[0])
        close(readers)
    }

    @Test func `streams that show the same share their bytes`() throws {
        let readers = try open([], .through, .through, [.actions, .through], [.actions, .through])
        add(number: 1)
        let places = readers.map { Self.place($0.event) }
        #expect(places[1] == places[2] && places[3] == places[4])
        #expect(Set(places).count == 3)
        let (plain, named, both) = (readers[0].text, readers[1].text, readers[3].text)
        #expect(named == plain.dropLast(3) + #","through":{"the-mark":1}}"# + "\n\n")
        #expect(both.hasPrefix("event: action\n") && both.hasSuffix(named))
        close(readers)
    }

    @Test func `a long value is there once`() throws {
        let readers = try open([], .through, [.actions, .through])
        add(100, number: 1)
        #expect(Set(readers.map { Self.place($0.event) }).count == 1)
        #expect(readers.map { $0.text.contains("the-mark") } == [false, true, true])
        close(readers)
    }

    @Test func `bytes that no stream takes are not made`() throws {
        let readers = try open(.through)
        add(number: 1)
        let frame = try #require(readers[0].frames.last)
        #expect(frame.event(for: .through).count > 0 && frame.event(for: []).count == 0)
        close(readers)
    }

    @Test func `an entry is named once, on streams that were there before it`() throws {
        let early = try open(.through)
        add(number: 1)
        let late = try open(.through)
        add(number: 1)
        #expect(early[0].frames.count == 2 && late[0].frames.count == 1)
        #expect(!early[0].text.contains("the-mark") && !late[0].text.contains("the-mark"))
        add(number: 2)
        for reader in early + late { #expect(reader.text.contains(#""through":{"the-mark":2}"#)) }
        close(early + late)
    }
}
