import Platform

/// The connections of a `FaultyUpstream`, on its thread: waits in `poll`, reads requests, performs steps.
struct FaultyService {
    typealias Report = ((inout FaultyUpstream.Record) -> Void) -> Void

    private let listener: Int32
    private let alarm: Int32
    private let greeting: [FaultyUpstream.Step]
    private let introduction: @Sendable (FaultyUpstream.Request) -> [FaultyUpstream.Step]?
    private let script: FaultyUpstream.Script
    private var connections: [FaultyConnection] = []
    private var requestCount = 0
    private var connectionCount = 0

    init(
        listener: Int32, alarm: Int32, greeting: [FaultyUpstream.Step],
        introduction: @escaping @Sendable (FaultyUpstream.Request) -> [FaultyUpstream.Step]?,
        _ script: @escaping FaultyUpstream.Script
    ) {
        self.listener = listener
        self.alarm = alarm
        self.greeting = greeting
        self.introduction = introduction
        self.script = script
    }

    mutating func turn(isReleased: Bool, _ report: Report) {
        var entries = [TestSocket.entry(listener, writes: false), TestSocket.entry(alarm, writes: false)]
        entries += connections.map { TestSocket.entry($0.descriptor, writes: $0.wantsToWrite(isReleased)) }
        let isDripping = connections.contains(where: \.isDripping)
        poll(&entries, nfds_t(entries.count), isDripping ? 20 : -1)
        if entries[1].revents != 0 { TestSocket.drain(alarm) }
        for index in connections.indices where entries[index + 2].revents != 0 {
            read(index, report)
        }
        for index in connections.indices {
            connections[index].perform(isReleased)
        }
        let open = connections.count
        connections.removeAll { $0.isClosed }
        if connections.count != open {
            let left = connections.count
            report { $0.open = left }
        }
        if entries[0].revents != 0 { accept(report) }
    }

    mutating func closeAll() {
        for index in connections.indices {
            connections[index].close()
        }
        connections = []
        TestSocket.shut(listener)
    }

    private mutating func accept(_ report: Report) {
        while let descriptor = TestSocket.accept(listener) {
            connections.append(FaultyConnection(descriptor, number: connectionCount, steps: greeting))
            connectionCount += 1
            let open = connections.count
            report {
                $0.connections += 1
                $0.open = open
            }
        }
    }

    private mutating func read(_ index: Int, _ report: Report) {
        guard connections[index].read() else {
            report { $0.ended += 1 }
            return
        }
        while let (head, body) = connections[index].takeRequest() {
            let request = FaultyUpstream.Request(
                index: requestCount, connection: connections[index].number, head: head, body: body)
            if let steps = introduction(request) {
                connections[index].steps += steps
                continue
            }
            requestCount += 1
            connections[index].steps += script(request)
            report { $0.requests.append(request) }
        }
    }
}
