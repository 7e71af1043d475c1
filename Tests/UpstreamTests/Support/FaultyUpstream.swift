import Dispatch
import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A service that does to its callers what a test tells it to, over real sockets, on one thread.
///
/// Every request that arrives whole is answered with the steps that the script gives for it.
final class FaultyUpstream: Sendable {
    enum Step: Sendable {
        case send(String)
        case bytes([UInt8])
        /// One byte at a time, about every 20 ms.
        case drip(String)
        /// Again and again, as long as the peer takes it.
        case endless(String)
        /// Nothing more; the connection stays open.
        case hang
        /// Waits for `release()`.
        case hold
        case close
        /// Ends the connection with a reset.
        case reset
    }

    struct Request: Sendable {
        /// 0 for the first that this service has seen.
        var index: Int
        /// Which connection brought it; 0 for the first.
        var connection: Int
        var head: String
        var body: String

        var line: String { String(head.prefix { $0 != "\r\n" }) }

        func field(_ name: String) -> String? {
            let start = "\(name.lowercased()):"
            return head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(start) }
                .map { String($0.dropFirst(start.count).drop { $0 == " " }) }
        }
    }

    struct Record: Sendable {
        var requests: [Request] = []
        var connections = 0
        /// Connections that the peer has ended.
        var ended = 0
        /// Connections that are open.
        var open = 0
        var isReleased = false
    }

    typealias Script = @Sendable (Request) -> [Step]

    let port: UInt16
    private let listener: Int32
    private let alarm: (reader: Int32, writer: Int32)
    /// Guards what was seen and who waits for it. A leaf.
    private let state = Locked((record: Record(), waiters: [Waiter](), isStopping: false))
    private let ended = DispatchGroup()

    private typealias Waiter = (condition: @Sendable (Record) -> Bool, resume: @Sendable () -> Void)

    /// - Parameter greeting: the steps for each new connection, before any request.
    init(greeting: [Step] = [], _ script: @escaping Script) throws {
        (listener, port) = try TestSocket.listen()
        alarm = try TestSocket.pipe()
        let service = FaultyService(listener: listener, alarm: alarm.reader, greeting: greeting, script)
        let handed = Locked(service)
        ended.enter()
        DispatchQueue(label: "faulty upstream").async { [state, ended] in
            handed.withLock { service in
                while !state.withLock({ $0.isStopping }) {
                    let released = state.withLock { $0.record.isReleased }
                    service.turn(isReleased: released) { change in
                        let ready = state.withLock { state in
                            change(&state.record)
                            let record = state.record
                            let ready = state.waiters.filter { $0.condition(record) }
                            state.waiters.removeAll { $0.condition(record) }
                            return ready
                        }
                        for waiter in ready { waiter.resume() }
                    }
                }
                service.closeAll()
            }
            ended.leave()
        }
    }

    /// Always the same steps.
    convenience init(greeting: [Step] = [], _ steps: Step...) throws {
        try self.init(greeting: greeting) { _ in steps }
    }

    /// These answers in turn, the last for all that follow.
    convenience init(inTurn turns: [[Step]]) throws {
        try self.init { turns[min($0.index, turns.count - 1)] }
    }

    deinit {
        stop()
        TestSocket.shut(alarm.reader)
        TestSocket.shut(alarm.writer)
    }

    /// Ends it; all its descriptors but two are closed then.
    func stop() {
        state.withLock { $0.isStopping = true }
        TestSocket.poke(alarm.writer)
        ended.wait()
    }

    var url: String { "http://127.0.0.1:\(port)/" }

    var record: Record { state.withLock { $0.record } }

    /// Lets go on what is at `hold`.
    func release() {
        state.withLock { $0.record.isReleased = true }
        TestSocket.poke(alarm.writer)
    }

    /// Returns once what was seen meets a condition.
    func until(_ condition: @escaping @Sendable (Record) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if condition(state.record) { return true }
                state.waiters.append((condition, { continuation.resume() }))
                return false
            }
            if isMet { continuation.resume() }
        }
    }
}
