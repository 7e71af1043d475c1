package import HTTP
import Sockets

// Other protocols, whose bytes belong to the owner of the stream.
extension HTTPConnection {
    package func upgrade(
        to name: String, _ fields: [Response.Field], usingReserve: Bool, _ owner: any StreamHandler
    ) -> HTTPConnection? {
        guard context.admits(self, toReserve: usingReserve), let channel, machine.startStream() != nil else {
            return nil
        }
        stream = owner
        stopTimer()
        stopAwaitingResponse()
        let added = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        let head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: \(name)\r\n\(added)\r\n"
        write(Array(head.utf8), to: channel)
        channel.resumeReading()
        notifyRequestObserver()
        return self
    }

    /// Gives the connection to HTTP/2 if its first bytes are the preface of that (RFC 9113, section 3.4), and its client may.
    ///
    /// Beyond the limit of connections it is treated as one whose first request has come; see ``ConnectionLimit``.
    ///
    /// - Parameter failure: the mistake that the bytes are in HTTP/1.1. So other clients never pay for this question.
    func beginsHTTP2(_ bytes: UnsafeRawBufferPointer, _ failure: RequestFailure) -> Bool {
        guard streamedBytes == 0, bytes.starts(with: "PRI * HTTP/2.0\r".utf8), let start = context.settings.http2,
            let owner = start(self)
        else { return false }
        guard context.admits(self) else {
            if context.settings.connectionLimit.holdsBack { holdBack(nil) } else { closeNow() }
            return true
        }
        machine.receivedFailure(ResponseEncoder(answering: failure))
        guard machine.startStream() != nil else { return false }
        stream = owner
        stopTimer()
        if context.isDraining { owner.drainBegins() }
        return true
    }

    /// Closes the connection behind the bytes of the other protocol.
    package func endProtocol() {
        guard let (_, timeout) = machine.endStream() else { return }
        let owner = stream.take()
        close(timeout, linger: .short)
        owner?.streamClosed()
    }

    /// Sends bytes of the other protocol in this turn of the loop, together with those of other connections.
    package func sendSoon(_ bytes: [UInt8]) {
        guard let channel else { return }
        count(bytes)
        // A long array is written now, so that its memory is free for the next connection.
        if bytes.count > Self.maxCopiedBytes { channel.write(bytes) } else { channel.writeSoon(bytes) }
        checkStream(on: channel)
    }

    /// Leaves what comes with the system until all that was sent has left.
    package func pauseReading() { channel?.pauseReading() }

    package func resumeReading() { channel?.resumeReading() }

    /// The requests in the other protocol hold more bytes, or fewer.
    package func addInput(_ byteCount: Int) { context.countInput(byteCount) }

    /// More bytes wait to be written here, or fewer.
    package func addOutput(_ byteCount: Int) { context.settings.output.add(byteCount) }
}

// The server, for requests in another protocol.
extension HTTPConnection {
    package var settings: HTTPServer.Settings { context.settings }

    package var handler: any RequestHandler { context.handler }

    /// The current Date field.
    package var date: [UInt8] { context.date }

    /// The id of a request: the client's own if it is valid, else a new one.
    package func requestID(of head: RequestHead) -> String { context.requestID(head.fields.requestID) }
}
