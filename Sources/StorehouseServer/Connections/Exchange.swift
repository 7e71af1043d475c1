package import HTTP
import Sockets

/// One request's place in its connection: answered once, in order. On the connection's loop only.
package struct Exchange {
    let connection: HTTPConnection
    /// Which request of the connection it is.
    let number: Int

    /// Sends the answer. A second one is dropped.
    package func answer(_ response: Response) {
        guard connection.exchangeNumber == number else { return }
        connection.answer(response)
    }

    /// Turns the connection over to a stream; nil where the client is gone.
    func startStream(fields: [Response.Field], owner: any StreamOwner) -> HTTPConnection? {
        guard connection.exchangeNumber == number else { return nil }
        connection.startStream(fields, owner)
        return connection
    }

    var loop: any EventLoop { connection.context.loop }

    /// The same place, to be answered from any thread.
    package var deferred: DeferredExchange {
        DeferredExchange(connection: LoopBound(connection, on: loop), number: number, loop: loop)
    }
}

/// A place in a connection that is answered later, from whatever thread.
package struct DeferredExchange: Sendable {
    private let connection: LoopBound<HTTPConnection>
    private let number: Int
    private let loop: any EventLoop

    init(connection: LoopBound<HTTPConnection>, number: Int, loop: any EventLoop) {
        self.connection = connection
        self.number = number
        self.loop = loop
    }

    /// Sends the answer: now if this is the connection's loop, else in a turn of it.
    package func answer(_ response: Response) {
        if loop.isCurrent {
            Exchange(connection: connection.value, number: number).answer(response)
        } else {
            loop.execute { Exchange(connection: connection.value, number: number).answer(response) }
        }
    }

    /// Runs `job` on the connection's loop after `delay`.
    func schedule(after delay: Duration, _ job: @escaping @Sendable () -> Void) {
        loop.execute { [loop] in _ = loop.schedule(after: delay, job) }
    }
}
