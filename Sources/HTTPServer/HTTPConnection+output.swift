import HTTP
import Sockets

// Sends responses and streams.
extension HTTPConnection {
    /// Sends the response to the current request. The next request is read, or the connection closes.
    func answer(_ response: Response) {
        guard let channel, let action = machine.respond(isDraining: context.isDraining) else { return }
        onTimeout = nil
        channel.write(action.encoder.bytes(of: response, date: context.date))
        if action.closes { return close(action.timeout) }
        startTimeout(action.timeout)
        channel.resumeReading()
    }

    func startStream(_ fields: [Response.Field], _ owner: any StreamHandler) {
        guard let channel, var encoder = machine.startStream() else { return }
        var output: [UInt8] = []
        encoder.appendStreamHead(.ok, fields, date: context.date, to: &output)
        stream = owner
        deadline.clear()
        channel.write(output)
        channel.resumeReading()
    }

    /// Whether pieces of the stream must be framed as chunks.
    package var streamIsChunked: Bool { machine.streamIsChunked }

    /// Sends bytes that are framed already.
    package func send(framed bytes: [UInt8]) { channel?.write(bytes) }

    /// Ends the stream in its framing, then closes the connection.
    package func endStream() {
        guard let (encoder, timeout) = machine.endStream() else { return }
        stream = nil
        var output: [UInt8] = []
        encoder.appendStreamEnd(to: &output)
        channel?.write(output)
        close(timeout)
    }
}
