import HTTP
import HTTPServer
import StoresTesting
import Testing

/// Rules that hold in every order of events.
@Suite struct RandomConnectionTests {
    /// A walk through random events, and what the caller of the machine knows meanwhile.
    private struct Walk {
        var machine = HTTPConnectionStateMachine()
        var random: SeededGenerator
        /// The number of the request that awaits its response.
        var awaited: Int?
        var isClosing = false
        var isStreaming = false

        mutating func step(_ encoder: ResponseEncoder) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: receive(encoder)
            case 4...5: respond()
            case 6: startStream()
            case 7: endStream()
            case 8: timeOut()
            default: drain()
            }
        }

        private mutating func receive(_ encoder: ResponseEncoder) {
            switch machine.inputAction(pendingBytes: 0) {
            case .parseHead where Bool.random(using: &random): _ = machine.receivedPartialHead(isEmptyLine: false)
            case .parseHead where Bool.random(using: &random): _ = machine.receivedHeadOfBody()
            case .parseHead, .decodeBody:
                // No request begins before the response to the one ahead of it.
                #expect(awaited == nil && !isClosing && !isStreaming)
                let number = machine.receivedRequest(encoder)
                #expect(machine.isCurrent(number))
                awaited = number
            case .leave: #expect(awaited != nil)
            case .discard: #expect(isClosing || isStreaming)
            }
        }

        private mutating func respond() {
            let response = machine.respond(isDraining: Bool.random(using: &random))
            #expect((response != nil) == (awaited != nil))
            if let awaited { #expect(!machine.isCurrent(awaited)) }
            awaited = nil
            if response?.closes == true { isClosing = true }
        }

        private mutating func startStream() {
            guard Int.random(in: 0..<4, using: &random) == 0 else { return }
            let head = machine.startStream()
            #expect((head != nil) == (awaited != nil))
            if head != nil { isStreaming = true }
            awaited = nil
        }

        private mutating func endStream() {
            #expect((machine.endStream() != nil) == isStreaming)
            if isStreaming { (isStreaming, isClosing) = (false, true) }
        }

        private mutating func timeOut() {
            switch machine.timedOut(pendingBytes: 0, stalledTime: .zero, limit: .seconds(1)) {
            case .sendDeferredResponse: #expect(awaited != nil)
            case .refuseRequest: #expect(awaited == nil && !isClosing && !isStreaming)
            case .closeNow, .checkAgain: #expect(awaited == nil && !isStreaming)
            case .none: #expect(isStreaming)
            }
        }

        private mutating func drain() {
            guard Int.random(in: 0..<8, using: &random) == 0 else { return }
            if machine.drain() != nil {
                #expect(awaited == nil && !isStreaming && !isClosing)
                isClosing = true
            }
        }
    }

    @Test func responsesAreOrderedAndClosingIsFinal() throws {
        let encoders = [try ResponseEncoder.keptOpen, try .keptOpen, try .keptOpen, try .closing]
        for seed in 0..<500 {
            var walk = Walk(random: SeededGenerator(seed: UInt64(seed)))
            for _ in 0..<60 { walk.step(encoders.randomElement(using: &walk.random) ?? encoders[0]) }
        }
    }
}
