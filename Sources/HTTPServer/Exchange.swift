package import HTTP
import Locks
package import Platform
package import Sockets
import Threads

/// One request's place in its connection: it is answered once, and in order. On the connection's loop only.
package struct Exchange {
    package let connection: any RequestSource
    /// Which exchange of the connection it is.
    let number: Int

    package init(connection: any RequestSource, number: Int) {
        self.connection = connection
        self.number = number
    }

    /// Sends the response. A second response is dropped.
    package func answer(_ response: consuming Response) {
        guard isCurrent else { return }
        connection.answer(response)
    }

    /// Makes the response a stream; nil if the client has disconnected.
    package func startStream(fields: [Response.Field], owner: any StreamHandler) -> (any RequestSource)? {
        guard isCurrent else { return nil }
        connection.startStream(fields, owner)
        return connection
    }

    /// Answers with `101 Switching Protocols`, after which the bytes of the connection are those of another protocol (RFC 9110,
    /// section 7.8); nil if the client has disconnected, or if there are as many connections as there may be.
    ///
    /// - Parameters:
    ///   - usingReserve: whether the reserve of connections is for this one.
    ///   - owner: gets the bytes from now on, also those that are there already.
    package func upgrade(
        to name: String, _ fields: [Response.Field] = [], usingReserve: Bool = false, owner: any StreamHandler
    ) -> HTTPConnection? {
        isCurrent ? connection.upgrade(to: name, fields, usingReserve: usingReserve, owner) : nil
    }

    /// Whether a response of this length may wait for the client. If not, the output of all connections together has
    /// reached its budget.
    package func hasRoom(for byteCount: Int) -> Bool { connection.hasRoom(for: byteCount) }

    /// Cancels a task that makes the response if the client leaves before it is there.
    package func cancelIfClientLeaves(_ task: Task<Void, Never>) {
        if isCurrent { connection.task = task }
    }

    /// Closes the connection without a response.
    package func disconnect() {
        if isCurrent { connection.disconnect() }
    }

    package var loop: any EventLoop { connection.loop }

    /// When the request was complete: the start of the turn of the loop in which its last bytes came.
    package var startedAt: MonotonicInstant { connection.requestStartedAt }

    /// The address of the client, or of the proxy that it uses.
    package var peer: IPAddress { connection.peer }

    /// Whether the request still awaits its response, and the client is there.
    package var isCurrent: Bool { connection.isCurrent(number) }

    /// This exchange, to be answered from any thread.
    package var deferred: DeferredExchange {
        DeferredExchange(connection: connection.bound, number: number, loop: loop)
    }
}

/// An exchange that is answered later, from any thread.
package struct DeferredExchange: Sendable {
    private let connection: LoopBound<any RequestSource>
    private let number: Int
    package let loop: any EventLoop

    init(connection: LoopBound<any RequestSource>, number: Int, loop: any EventLoop) {
        self.connection = connection
        self.number = number
        self.loop = loop
    }

    /// The exchange itself on its connection's loop; nil on other threads.
    package var here: Exchange? {
        connection.valueIfCurrent.map { Exchange(connection: $0, number: number) }
    }

    /// Waits on the connection's loop, whatever becomes of the exchange. A zero delay is a later turn.
    package func sleep(for delay: Duration) async {
        await Promise.value { done in
            loop.execute { [loop] in
                if delay == .zero { done(()) } else { _ = loop.schedule(after: delay) { done(()) } }
            }
        }
    }

    /// Calls `body` on the connection's loop after `delay`, or at the end of a drain, unless a response is sent first.
    package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        loop.execute {
            let exchange = exchange
            guard exchange.isCurrent else { return }
            exchange.connection.schedule(after: delay, body)
        }
    }

    /// On the connection's loop only.
    private var exchange: Exchange { Exchange(connection: connection.value, number: number) }
}
