import Dispatch
import Locks
import Platform

/// A remote service whose faults a test scripts, over real sockets, on one thread.
///
/// Every request that arrives whole is answered with the steps that the script gives for it.
package final class FaultyUpstream: Sendable {
    package enum Step: Sendable {
        case send(String)
        /// The answer, or a part of it, to the request with this index.
        case answer(Int, String)
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

    package struct Request: Sendable {
        /// 0 for the first that this service has seen.
        package var index: Int
        /// Which connection brought it; 0 for the first.
        package var connection: Int
        package var head: String
        package var body: String

        package var line: String { String(head.prefix { $0 != "\r\n" }) }

        package func field(_ name: String) -> String? {
            let start = "\(name.lowercased()):"
            return head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(start) }
                .map { String($0.dropFirst(start.count).drop { $0 == " " }) }
        }
    }

    package struct Record: Sendable {
        package var requests: [Request] = []
        package var connections = 0
        /// Connections that the peer has ended.
        package var ended = 0
        /// Connections that are open.
        package var open = 0
        /// The targets of requests whose answers are not awaited any more, although their connections are open.
        package var cancelled: [String] = []
        package var isReleased = false
    }

    package typealias Script = @Sendable (Request) -> [Step]

    /// Makes the protocol of each connection of a service on a port, if that is not HTTP.
    package typealias Wires = @Sendable (UInt16) -> any FaultyWire

    package let port: UInt16
    private let listener: Int32
    private let alarm: (reader: Int32, writer: Int32)
    /// Guards what was seen and who waits for it. A leaf.
    private let state = Locked((record: Record(), waiters: [Waiter](), isStopping: false))

    private typealias Waiter = (condition: @Sendable (Record) -> Bool, resume: @Sendable () -> Void)

    /// - Parameter greeting: the steps for each new connection, before any request.
    package init(
        on port: UInt16 = 0, greeting: [Step] = [], wires: Wires? = nil, _ script: @escaping Script
    ) throws {
        (listener, self.port) = try TestSocket.listen(on: port)
        alarm = try TestSocket.pipe()
        let own = self.port
        var ownWires: (@Sendable () -> any FaultyWire)?
        if let wires { ownWires = { wires(own) } }
        let service = FaultyService(
            listener: listener, alarm: alarm.reader, greeting: greeting, wires: ownWires, script)
        let handed = Locked(service)
        DispatchQueue(label: "faulty upstream").async { [state, alarm] in
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
            TestSocket.shut(alarm.reader)
            TestSocket.shut(alarm.writer)
        }
    }

    /// Always the same steps.
    package convenience init(greeting: [Step] = [], _ steps: Step...) throws {
        try self.init(greeting: greeting) { _ in steps }
    }

    /// These answers in turn, the last for all that follow.
    package convenience init(inTurn turns: [[Step]]) throws {
        try self.init { turns[min($0.index, turns.count - 1)] }
    }

    /// Ends the thread, which closes every descriptor, and does not wait for it: this may be one of Swift's few threads.
    deinit {
        state.withLock { state in
            state.isStopping = true
            // Inside the lock, because the thread closes the alarm once it reads the flag.
            TestSocket.poke(alarm.writer)
        }
    }

    package var url: String { "http://127.0.0.1:\(port)/" }

    package var record: Record { state.withLock { $0.record } }

    /// Releases the requests that wait at `hold`.
    package func release() {
        state.withLock { $0.record.isReleased = true }
        TestSocket.poke(alarm.writer)
    }

    /// Returns once what was seen meets a condition, or the task is cancelled.
    package func until(_ condition: @escaping @Sendable (Record) -> Bool) async {
        let end = Promise<Void>()
        let isMet = state.withLock { state in
            let isMet = condition(state.record)
            if !isMet { state.waiters.append((condition, { end.fulfill(()) })) }
            return isMet
        }
        if isMet { return }
        await withTaskCancellationHandler {
            await end.value()
        } onCancel: {
            end.fulfill(())
        }
    }
}
