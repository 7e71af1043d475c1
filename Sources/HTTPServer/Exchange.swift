package import HTTP
package import Sockets

/// One request's place in its connection: answered once, in order. On the connection's loop only.
package struct Exchange {
    let connection: HTTPConnection
    /// Which request of the connection it is.
    let number: Int

    /// Sends the answer. A second one is dropped, and not even made.
    package func answer(_ response: @autoclosure () -> Response) {
        guard connection.exchangeNumber == number else { return }
        connection.answer(response())
    }

    /// Turns the connection over to a stream; nil where the client is gone.
    package func startStream(fields: [Response.Field], owner: any StreamHandler) -> HTTPConnection? {
        guard connection.exchangeNumber == number else { return nil }
        connection.startStream(fields, owner)
        return connection
    }

    package var loop: any EventLoop { connection.context.loop }

    /// Itself unless the request is over.
    fileprivate var current: Exchange? { connection.exchangeNumber == number ? self : nil }

    /// The same place, to be answered from any thread.
    package var deferred: DeferredExchange {
        DeferredExchange(
            connection: connection.carried ?? LoopBound(connection, on: loop), number: number, loop: loop)
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

    /// The place itself where this is the connection's loop, else nil.
    package var here: Exchange? {
        loop.isCurrent ? Exchange(connection: connection.value, number: number) : nil
    }

    /// Sends the answer that `make` makes on the connection's loop: now if this is it, else in a turn of it.
    package func answer(_ make: @escaping @Sendable () -> Response) {
        if let here {
            here.answer(make())
        } else {
            loop.execute { Exchange(connection: connection.value, number: number).answer(make()) }
        }
    }

    /// Calls `body` on the connection's loop, now if this is it; with nil where the request is over.
    package func resume(_ body: @escaping @Sendable (Exchange?) -> Void) {
        if let here { body(here.current) } else { resumeLater(body) }
    }

    /// Calls `body` in a later turn of the connection's loop; with nil where the request is over.
    package func resumeLater(_ body: @escaping @Sendable (Exchange?) -> Void) {
        loop.execute { body(Exchange(connection: connection.value, number: number).current) }
    }

    /// Sends the answer that `make` makes after `delay`, or when the server cannot wait any longer, unless another is
    /// sent before.
    package func answer(after delay: Duration, _ make: @escaping @Sendable () -> Response) {
        schedule(after: delay) { [self] in answer(make) }
    }

    /// Calls `body` on the connection's loop after `delay`, or when the server can wait no longer, unless the request is
    /// answered before.
    package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        loop.execute {
            let connection = connection.value
            guard connection.exchangeNumber == number else { return }
            connection.held = body
            connection.deadline.set(after: delay)
        }
    }
}
