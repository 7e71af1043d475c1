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
        #expect(last.closes && last.timeout == .body && !last.encoder.keepAlive)
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
        #expect(machine.timedOut(pendingBytes: 0) == .none)
        #expect(machine.endStream()?.timeout == .body)
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
        #expect(machine.timedOut(pendingBytes: 0) == .refuseRequest)
        _ = machine.receivedHeadOfBody()
        #expect(machine.timedOut(pendingBytes: 0) == .refuseRequest)
        _ = machine.receivedRequest(try .keptOpen)
        #expect(machine.timedOut(pendingBytes: 0) == .sendDeferredResponse)
    }

    /// A connection without requests is closed unless its client reads some of what is pending.
    @Test func aClientThatStopsReadingIsDisconnected() throws {
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedRequest(try .keptOpen)
        _ = machine.respond(isDraining: false)
        #expect(machine.timedOut(pendingBytes: 100) == .restart(.idle))
        #expect(machine.timedOut(pendingBytes: 99) == .restart(.idle))
        #expect(machine.timedOut(pendingBytes: 99) == .closeNow)
        _ = machine.receivedRequest(try .closing)
        _ = machine.respond(isDraining: false)
        // A new response starts the check anew.
        #expect(machine.timedOut(pendingBytes: 5000) == .restart(.idle))
        #expect(machine.timedOut(pendingBytes: 0) == .closeNow)
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
        #expect(machine.drain() == .body)
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
