import Platform

/// The connections of a `FaultyUpstream`, on its thread: waits in `poll`, reads requests, performs steps.
struct FaultyService {
    typealias Report = ((inout FaultyUpstream.Record) -> Void) -> Void

    private let listener: Int32
    private let alarm: Int32
    private let greeting: [FaultyUpstream.Step]
    private let wires: (@Sendable () -> any FaultyWire)?
    /// The numbers of the requests so far on their connections.
    private var numbers: [Int] = []
    private let script: FaultyUpstream.Script
    private var connections: [FaultyConnection] = []
    private var requestCount = 0
    private var connectionCount = 0

    init(
        listener: Int32, alarm: Int32, greeting: [FaultyUpstream.Step],
        wires: (@Sendable () -> any FaultyWire)?, _ script: @escaping FaultyUpstream.Script
    ) {
        self.listener = listener
        self.alarm = alarm
        self.greeting = greeting
        self.wires = wires
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
            connections.append(
                FaultyConnection(descriptor, number: connectionCount, steps: greeting, wires?()))
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
        let known = connections[index].cancelled.count
        let requests = connections[index].takeRequests()
        let cancelled = connections[index].cancelled.dropFirst(known)
        if !cancelled.isEmpty { report { $0.cancelled += cancelled } }
        for arrived in requests {
            let request = FaultyUpstream.Request(
                index: requestCount, connection: connections[index].number, head: arrived.head, body: arrived.body)
            requestCount += 1
            numbers.append(arrived.number)
            connections[index].add(script(request), answering: arrived.number, numbers)
            report { $0.requests.append(request) }
        }
    }
}
