import HTTP
import HTTPServer
import Testing

/// How a connection responds, streams, times out and ends.
@Suite struct ConnectionOutputTests {
    @Test func aResponseKeepsTheConnectionOpenOrClosesIt() throws {
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedRequest(try .keptOpen)
        let first = try machine.requireResponse(isDraining: false)
        #expect(!first.closes && first.timeout == .idle && first.encoder.keepAlive)
        _ = machine.receivedRequest(try .closing)
        let last = try machine.requireResponse(isDraining: false)
        #expect(last.closes && last.timeout == .closing && !last.encoder.keepAlive)
    }

    @Test func aDrainingServerClosesBehindEachResponse() throws {
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedRequest(try .keptOpen)
        let response = try machine.requireResponse(isDraining: true)
        #expect(response.closes && !response.encoder.keepAlive)
    }

    @Test func aStreamEndsItsConnection() throws {
        var machine = HTTPConnectionStateMachine()
        #expect(machine.startStream() == nil)
        let number = machine.receivedRequest(try .keptOpen)
        let started = machine.startStream()
        let head = try #require(started)
        #expect(!head.keepAlive)
        #expect(machine.isStreaming && machine.streamIsChunked)
        #expect(!machine.isCurrent(number))
        #expect(machine.respond(isDraining: false) == nil)
        #expect(machine.inputAction(pendingBytes: 0) == .discard)
        #expect(machine.flushed() == .notifyStream)
        #expect(machine.timedOut() == .none)
        #expect(machine.endStream()?.timeout == .closing)
        #expect(!machine.isStreaming)
        #expect(machine.endStream() == nil)
        #expect(machine.flushed() == .none)
    }

    @Test func aStreamToAnOldClientIsNotChunked() throws {
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedRequest(try ResponseEncoder(request: "GET / HTTP/1.0\r\n\r\n"))
        _ = machine.startStream()
        #expect(machine.isStreaming && !machine.streamIsChunked)
    }

    @Test func aRequestThatArrivesTooSlowlyIsRefused() throws {
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedPartialHead(isEmptyLine: false)
        #expect(machine.timedOut() == .refuseRequest)
        _ = machine.receivedHeadOfBody()
        #expect(machine.timedOut() == .refuseRequest)
        _ = machine.receivedRequest(try .keptOpen)
        #expect(machine.timedOut() == .sendDeferredResponse)
    }

    /// The time counts from the last byte that the client took.
    @Test func aClientThatTakesNothingIsDisconnected() throws {
        for encoder in [try ResponseEncoder.keptOpen, try .closing] {
            var machine = HTTPConnectionStateMachine()
            _ = machine.receivedRequest(encoder)
            _ = machine.respond(isDraining: false)
            #expect(machine.timedOut(pendingBytes: 100, stalledTime: .zero) == .checkAgain(.seconds(60)))
            #expect(machine.timedOut(pendingBytes: 99, stalledTime: .seconds(59)) == .checkAgain(.seconds(1)))
            #expect(machine.timedOut(pendingBytes: 99, stalledTime: .seconds(60)) == .closeNow)
            // Nothing is pending, so no request or no end of input came in time.
            #expect(machine.timedOut() == .closeNow)
        }
    }

    @Test func aStreamWhoseClientTakesNothingIsDisconnected() throws {
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedRequest(try .keptOpen)
        #expect(machine.wroteStream(pendingBytes: 10) == nil)
        _ = machine.startStream()
        #expect(machine.wroteStream(pendingBytes: 0) == nil)
        #expect(machine.wroteStream(pendingBytes: 10) == .idle)
        #expect(machine.wroteStream(pendingBytes: 20) == nil)
        #expect(machine.timedOut(pendingBytes: 20, stalledTime: .seconds(20)) == .checkAgain(.seconds(40)))
        #expect(machine.wroteStream(pendingBytes: 30) == nil)
        #expect(machine.timedOut(pendingBytes: 30, stalledTime: .seconds(60)) == .closeNow)
        // A client that has taken everything is left alone, until bytes are pending again.
        #expect(machine.timedOut() == .none)
        #expect(machine.wroteStream(pendingBytes: 5) == .idle)
    }

    /// So a stream whose client reads has no timer.
    @Test func theTimeoutOfAStreamBeginsAgainOnceItsClientHasTakenEverything() throws {
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedRequest(try .keptOpen)
        _ = machine.startStream()
        #expect(machine.wroteStream(pendingBytes: 10) == .idle)
        #expect(machine.flushed() == .notifyStream)
        #expect(machine.wroteStream(pendingBytes: 10) == .idle)
        #expect(machine.wroteStream(pendingBytes: 20) == nil)
    }

    @Test func aDrainClosesOnlyIdleConnections() throws {
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedPartialHead(isEmptyLine: false)
        #expect(machine.drain() == nil)
        _ = machine.receivedHeadOfBody()
        #expect(machine.drain() == nil)
        _ = machine.receivedRequest(try .keptOpen)
        #expect(machine.drain() == nil)
        _ = machine.respond(isDraining: false)
        #expect(machine.drain() == .closing)
        #expect(machine.drain() == nil)
        #expect(machine.inputAction(pendingBytes: 0) == .discard)

        var streaming = HTTPConnectionStateMachine()
        _ = streaming.receivedRequest(try .keptOpen)
        _ = streaming.startStream()
        #expect(streaming.drain() == nil)
        #expect(streaming.isStreaming)
    }

    @Test func aClosedChannelEndsEverything() throws {
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedRequest(try .keptOpen)
        _ = machine.startStream()
        machine.channelClosed()
        #expect(!machine.isStreaming)
        #expect(machine.endStream() == nil)
        #expect(machine.startStream() == nil)
        #expect(machine.drain() == nil)
        #expect(machine.receivedEndOfInput() == .none)
    }
}

extension HTTPConnectionStateMachine {
    mutating func timedOut(pendingBytes: Int = 0, stalledTime: Duration = .zero) -> TimeoutAction {
        timedOut(pendingBytes: pendingBytes, stalledTime: stalledTime, limit: .seconds(60))
    }
}
