package import HTTP

/// The decisions of one HTTP/1.1 connection: what to parse, when to read, which timeout runs, and when to close.
///
/// Each method takes one event and returns what the caller must do about it. The responses leave in the
/// order of their requests, because no byte behind a request is parsed before its response is written.
package struct HTTPConnectionStateMachine: Sendable {
    private enum State {
        /// Awaits a request head. It is partial once its first byte has arrived.
        case head(isPartial: Bool)
        case body
        /// A request, or a failure to parse one, awaits its response.
        case responding(ResponseEncoder)
        case streaming(ResponseEncoder)
        /// The last bytes are on their way out.
        case closing
    }

    /// While more response bytes than this are pending, no further request is parsed.
    package static let maxPendingResponseBytes = 65536

    private var state = State.head(isPartial: false)
    /// Whether a timeout runs that checks whether the client of the stream reads.
    private var checksStream = false
    /// Changes with each request and each response, so that a late response finds only its own request.
    private var exchangeNumber = 0

    package init() {}

    /// Names the durations that can limit a state.
    package enum Timeout: Sendable, Hashable {
        /// For the whole head, from its first byte.
        case header
        /// For the whole body.
        case body
        /// For the client to take the last bytes.
        case closing
        /// Between requests.
        case idle
    }
}

// Input.
extension HTTPConnectionStateMachine {
    package enum InputAction: Sendable, Hashable {
        case parseHead
        case decodeBody
        /// The bytes stay with the channel until the response is written.
        case leave
        /// Bytes on a stream, or behind the last request, belong to no request.
        case discard
    }

    /// Decides what received bytes are.
    package func inputAction(pendingBytes: Int) -> InputAction {
        switch state {
        // A client that sends requests without reading the responses is not served further.
        case .head: pendingBytes <= Self.maxPendingResponseBytes ? .parseHead : .leave
        case .body: .decodeBody
        case .responding: .leave
        case .streaming, .closing: .discard
        }
    }

    /// Whether further bytes, and the end of input, should stay with the system for now. A client that closes its side
    /// behind its requests then still gets all responses.
    package func pausesReading(pendingBytes: Int) -> Bool {
        switch state {
        case .responding: true
        case .head: pendingBytes > Self.maxPendingResponseBytes
        case .body, .streaming, .closing: false
        }
    }

    /// Bytes arrived that are not yet a whole head.
    ///
    /// - Parameter isEmptyLine: whether they are part of an empty line. Some clients send one behind a body; it begins
    ///   no request (RFC 9112, section 2.2).
    /// - Returns: the timeout to start, unless it runs already.
    package mutating func receivedPartialHead(isEmptyLine: Bool) -> Timeout? {
        guard case .head(isPartial: false) = state, !isEmptyLine else { return nil }
        state = .head(isPartial: true)
        return .header
    }

    /// A head arrived, and its body is incomplete.
    ///
    /// - Returns: the timeout to start.
    package mutating func receivedHeadOfBody() -> Timeout {
        state = .body
        return .body
    }

    /// A request arrived completely. No timeout runs until its response is written.
    ///
    /// - Returns: the number of the exchange, by which its response is accepted.
    package mutating func receivedRequest(_ encoder: ResponseEncoder) -> Int {
        exchangeNumber += 1
        state = .responding(encoder)
        return exchangeNumber
    }

    /// The bytes are no request, or the request did not arrive in time; the caller responds to the failure at once.
    package mutating func receivedFailure(_ encoder: ResponseEncoder) { state = .responding(encoder) }

    package enum CutAction: Sendable, Hashable {
        /// Refuse the request that has not arrived completely, or the next one, and close.
        case refuseRequest
        /// Drop what waits behind the request in progress. The connection closes behind its response.
        case dropInput
        /// Nothing is held.
        case none
    }

    /// The bytes that the connection holds must become free, but for a request that is being handled.
    package mutating func cutInput() -> CutAction {
        switch state {
        case .head, .body: return .refuseRequest
        case .responding(var encoder):
            encoder.keepAlive = false
            state = .responding(encoder)
            return .dropInput
        case .streaming, .closing: return .none
        }
    }

    package enum EndOfInputAction: Sendable, Hashable {
        /// The client awaits no response any more.
        case closeAfterFlush
        case closeNow
        /// A response, or the last bytes, are still to be sent.
        case none
    }

    /// The client will send nothing more.
    package func receivedEndOfInput() -> EndOfInputAction {
        switch state {
        case .head, .body: .closeAfterFlush
        case .streaming: .closeNow
        case .responding, .closing: .none
        }
    }
}

// Output.
extension HTTPConnectionStateMachine {
    /// Whether the request of this number still awaits its response.
    package func isCurrent(_ number: Int) -> Bool { exchangeNumber == number }

    package struct ResponseAction: Sendable {
        /// Encodes the response.
        package let encoder: ResponseEncoder
        /// Whether the connection closes behind the response; else the next request is read.
        package let closes: Bool
        package let timeout: Timeout
    }

    /// The response to the current request is there.
    ///
    /// - Parameter isDraining: whether the server drains, so that this response is the connection's last.
    /// - Returns: how to send it; nil if no request awaits one.
    package mutating func respond(isDraining: Bool) -> ResponseAction? {
        guard case .responding(var encoder) = state else { return nil }
        exchangeNumber += 1
        if isDraining { encoder.keepAlive = false }
        state = encoder.keepAlive ? .head(isPartial: false) : .closing
        return ResponseAction(
            encoder: encoder, closes: !encoder.keepAlive, timeout: encoder.keepAlive ? .idle : .closing)
    }

    /// The response to the current request is a stream. A timeout runs only while bytes are pending.
    ///
    /// - Returns: the encoder of its head; nil if no request awaits a response.
    package mutating func startStream() -> ResponseEncoder? {
        guard case .responding(var encoder) = state else { return nil }
        exchangeNumber += 1
        encoder.keepAlive = false
        state = .streaming(encoder)
        return encoder
    }

    /// The stream ends; the connection closes behind it.
    ///
    /// - Returns: the encoder of its end and the timeout to start; nil if there is no stream.
    package mutating func endStream() -> (encoder: ResponseEncoder, timeout: Timeout)? {
        guard case .streaming(let encoder) = state else { return nil }
        state = .closing
        return (encoder, .closing)
    }

    /// Whether no request or stream is in progress. A request that has not arrived completely is not in progress.
    package var isIdle: Bool {
        switch state {
        case .head, .body, .closing: true
        case .responding, .streaming: false
        }
    }

    /// Whether nothing of the next request has been seen, and the last one is answered.
    package var awaitsRequest: Bool {
        if case .head(isPartial: false) = state { true } else { false }
    }

    package var isStreaming: Bool {
        if case .streaming = state { true } else { false }
    }

    /// Whether pieces of the stream are framed as chunks.
    package var streamIsChunked: Bool {
        if case .streaming(let encoder) = state { encoder.streamIsChunked } else { false }
    }

    /// Bytes of the stream were written.
    ///
    /// - Returns: the timeout to start, unless it runs already or the client has taken everything.
    package mutating func wroteStream(pendingBytes: Int) -> Timeout? {
        guard pendingBytes > 0, !checksStream, isStreaming else { return nil }
        checksStream = true
        return .idle
    }

    package enum FlushedAction: Sendable, Hashable {
        /// No timeout is needed until bytes are pending again.
        case notifyStream
        /// Read on. The time between requests begins with the last byte taken.
        case resumeReading(starts: Timeout?)
        case none
    }

    /// All pending bytes have left.
    package mutating func flushed() -> FlushedAction {
        switch state {
        case .streaming:
            checksStream = false
            return .notifyStream
        case .head(let isPartial): return .resumeReading(starts: isPartial ? nil : .idle)
        case .body, .responding, .closing: return .none
        }
    }
}

// Time and ending.
extension HTTPConnectionStateMachine {
    package enum TimeoutAction: Sendable, Hashable {
        /// The request did not arrive in time: respond with 408.
        case refuseRequest
        /// Send the response that was deferred until now.
        case sendDeferredResponse
        /// The client takes the response: check again after this time.
        case checkAgain(Duration)
        case closeNow
        case none
    }

    /// The timeout that was started last has passed.
    ///
    /// - Parameters:
    ///   - pendingBytes: how many bytes wait for the client.
    ///   - stalledTime: for how long the client has taken none of them.
    ///   - limit: how long a client may take nothing.
    package mutating func timedOut(pendingBytes: Int, stalledTime: Duration, limit: Duration) -> TimeoutAction {
        switch state {
        case .head(isPartial: true), .body: return .refuseRequest
        case .responding: return .sendDeferredResponse
        case .streaming where pendingBytes == 0:
            checksStream = false
            return .none
        case .head(isPartial: false), .closing, .streaming:
            return pendingBytes > 0 && stalledTime < limit ? .checkAgain(limit - stalledTime) : .closeNow
        }
    }

    /// The server drains. Only an idle connection ends at once; the others end behind their response or stream.
    ///
    /// - Returns: the timeout to start if the connection closes; nil if it goes on.
    package mutating func drain() -> Timeout? {
        guard case .head(isPartial: false) = state else { return nil }
        state = .closing
        return .closing
    }

    /// The channel is closed. No response is accepted any more.
    package mutating func channelClosed() {
        exchangeNumber += 1
        state = .closing
    }
}
