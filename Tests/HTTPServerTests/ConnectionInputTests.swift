import HTTP
import HTTPServer
import Testing

/// How a connection handles the bytes that arrive.
@Suite struct ConnectionInputTests {
    private static let maxPending = HTTPConnectionStateMachine.maxPendingResponseBytes

    @Test func bytesBehindARequestWaitForItsResponse() throws {
        var machine = HTTPConnectionStateMachine()
        #expect(machine.inputAction(pendingBytes: 0) == .parseHead)
        let number = machine.receivedRequest(try .keptOpen)
        #expect(machine.inputAction(pendingBytes: 0) == .leave)
        #expect(machine.pausesReading(pendingBytes: 0))
        #expect(machine.isCurrent(number))
        _ = try machine.requireResponse(isDraining: false)
        #expect(machine.inputAction(pendingBytes: 0) == .parseHead)
        #expect(!machine.pausesReading(pendingBytes: 0))
    }

    @Test func onlyAWholeRequestOrAStreamIsInProgress() throws {
        var machine = HTTPConnectionStateMachine()
        #expect(machine.isIdle)
        _ = machine.receivedPartialHead(isEmptyLine: false)
        #expect(machine.isIdle)
        _ = machine.receivedHeadOfBody()
        #expect(machine.isIdle)
        _ = machine.receivedRequest(try .keptOpen)
        #expect(!machine.isIdle)
        #expect(machine.startStream() != nil)
        #expect(!machine.isIdle)
        #expect(machine.endStream() != nil)
        #expect(machine.isIdle)
    }

    @Test func anUnfinishedRequestThatIsCutIsRefused() throws {
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedPartialHead(isEmptyLine: false)
        #expect(machine.cutInput() == .refuseRequest)
        _ = machine.receivedHeadOfBody()
        #expect(machine.cutInput() == .refuseRequest)
    }

    /// A request that is being handled may have changed something, so its client must learn of it.
    @Test func aRequestInProgressIsNeverCutButTheConnectionClosesBehindItsResponse() throws {
        var machine = HTTPConnectionStateMachine()
        let number = machine.receivedRequest(try .keptOpen)
        #expect(machine.cutInput() == .dropInput)
        #expect(machine.isCurrent(number))
        let response = try machine.requireResponse(isDraining: false)
        #expect(response.closes && !response.encoder.keepAlive)
        #expect(machine.cutInput() == .none)
    }

    @Test func onlyAConnectionWithoutAnythingOfTheNextRequestAwaitsOne() throws {
        var machine = HTTPConnectionStateMachine()
        #expect(machine.awaitsRequest)
        _ = machine.receivedPartialHead(isEmptyLine: false)
        #expect(!machine.awaitsRequest)
        _ = machine.receivedRequest(try .keptOpen)
        #expect(!machine.awaitsRequest)
        _ = machine.respond(isDraining: false)
        #expect(machine.awaitsRequest)
    }

    @Test func aSecondResponseOrALateOneIsRefused() throws {
        var machine = HTTPConnectionStateMachine()
        let first = machine.receivedRequest(try .keptOpen)
        #expect(machine.respond(isDraining: false) != nil)
        #expect(!machine.isCurrent(first))
        #expect(machine.respond(isDraining: false) == nil)
        let second = machine.receivedRequest(try .keptOpen)
        #expect(!machine.isCurrent(first))
        #expect(machine.isCurrent(second))
        machine.channelClosed()
        #expect(!machine.isCurrent(second))
        #expect(machine.respond(isDraining: false) == nil)
    }

    @Test func aClientThatDoesNotReadItsResponsesIsNotServedFurther() {
        var machine = HTTPConnectionStateMachine()
        #expect(machine.inputAction(pendingBytes: Self.maxPending) == .parseHead)
        #expect(!machine.pausesReading(pendingBytes: Self.maxPending))
        #expect(machine.inputAction(pendingBytes: Self.maxPending + 1) == .leave)
        #expect(machine.pausesReading(pendingBytes: Self.maxPending + 1))
        #expect(machine.flushed() == .resumeReading(starts: .idle))
    }

    @Test func theHeaderTimeoutStartsOnceForEachHead() throws {
        var machine = HTTPConnectionStateMachine()
        for _ in 0..<2 {
            #expect(machine.receivedPartialHead(isEmptyLine: false) == .header)
            #expect(machine.receivedPartialHead(isEmptyLine: false) == nil)
            _ = machine.receivedRequest(try .keptOpen)
            _ = machine.respond(isDraining: false)
        }
    }

    @Test func anEmptyLineBeginsNoRequest() {
        var machine = HTTPConnectionStateMachine()
        #expect(machine.receivedPartialHead(isEmptyLine: true) == nil)
        // The connection is still idle: its timeout closes it without a response.
        #expect(machine.timedOut() == .closeNow)
    }

    @Test func anIncompleteBodyIsDecoded() throws {
        var machine = HTTPConnectionStateMachine()
        #expect(machine.receivedHeadOfBody() == .body)
        #expect(machine.inputAction(pendingBytes: .max) == .decodeBody)
        #expect(!machine.pausesReading(pendingBytes: .max))
        let number = machine.receivedRequest(try .keptOpen)
        #expect(machine.isCurrent(number))
    }

    @Test func bytesBehindTheLastRequestAreDiscarded() throws {
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedRequest(try .closing)
        _ = machine.respond(isDraining: false)
        #expect(machine.inputAction(pendingBytes: 0) == .discard)
        #expect(!machine.pausesReading(pendingBytes: 0))
        #expect(machine.flushed() == .none)
    }

    /// A client that closes its side behind its requests still gets their responses.
    @Test func theEndOfInputEndsOnlyWhatAwaitsInput() throws {
        var machine = HTTPConnectionStateMachine()
        #expect(machine.receivedEndOfInput() == .closeAfterFlush)
        _ = machine.receivedHeadOfBody()
        #expect(machine.receivedEndOfInput() == .closeAfterFlush)
        _ = machine.receivedRequest(try .keptOpen)
        #expect(machine.receivedEndOfInput() == .none)
        _ = machine.startStream()
        #expect(machine.receivedEndOfInput() == .closeNow)
        _ = machine.endStream()
        #expect(machine.receivedEndOfInput() == .none)
    }

    @Test(arguments: [("GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n", false), ("GET /\r\n\r\n", true)])
    func afterAFailureTheConnectionGoesOnOnlyIfTheNextRequestCanBeFound(_ bytes: String, _ closes: Bool) throws {
        var parser = RequestParser(limits: HTTPLimits())
        guard case .failed(let failure, _) = Array(bytes.utf8).withUnsafeBytes({ parser.parse($0) }) else {
            Issue.record("no failure")
            return
        }
        var machine = HTTPConnectionStateMachine()
        _ = machine.receivedPartialHead(isEmptyLine: false)
        machine.receivedFailure(ResponseEncoder(answering: failure))
        let response = try machine.requireResponse(isDraining: false)
        #expect(response.closes == closes)
        // The refused head is no longer awaited.
        #expect(machine.timedOut() == .closeNow)
    }
}

extension ResponseEncoder {
    static var keptOpen: ResponseEncoder {
        get throws { try ResponseEncoder(request: "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
    }

    static var closing: ResponseEncoder {
        get throws { try ResponseEncoder(request: "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") }
    }

    /// An encoder of the response to a request that must be complete.
    init(request: String) throws {
        struct Incomplete: Error {}
        var parser = RequestParser(limits: HTTPLimits())
        guard case .head(let head, _) = Array(request.utf8).withUnsafeBytes({ parser.parse($0) }) else {
            throw Incomplete()
        }
        self.init(answering: head)
    }
}

extension HTTPConnectionStateMachine {
    /// The response action, which must be there.
    mutating func requireResponse(isDraining: Bool = false) throws -> ResponseAction {
        let action = respond(isDraining: isDraining)
        return try #require(action)
    }
}
