import Locks
import StorehouseClient
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5))) struct StreamMailboxTests {
    private let listener = StreamListener()

    private func mailbox(maxBytes: Int = 100, resume: @escaping @Sendable () -> Void = {}) -> StreamMailbox {
        StreamMailbox(maxBytes: maxBytes, resume: resume, hear: { [listener] in listener.hear($0) })
    }

    @Test func partsThatComeMeanwhileAreHeardTogether() async {
        let mailbox = mailbox()
        mailbox.receive(status: 200, headers: ["a": "b"])
        _ = mailbox.receive([1, 2])
        mailbox.flush()
        _ = mailbox.receive([3])
        mailbox.end(nil)
        await listener.untilEnd()
        #expect(listener.parts == [.head(status: 200, headers: ["a": "b"]), .bytes([1, 2, 3]), .end(nil)])
    }

    @Test func nothingIsHeardBeforeAllOfAReadIsThere() async {
        let mailbox = mailbox()
        _ = mailbox.receive([1])
        await Task.yield()
        #expect(listener.parts.isEmpty)
        mailbox.end(nil)
        await listener.untilEnd()
    }

    @Test func nothingIsHeardOfAClosedStream() async {
        let mailbox = mailbox()
        let other = self.mailbox()
        _ = mailbox.receive([1])
        mailbox.flush()
        mailbox.close()
        mailbox.end(nil)
        other.end(TransportFailure("other"))
        await listener.untilEnd()
        #expect(listener.parts == [.end(TransportFailure("other"))])
    }

    @Test func theListenerMayCloseInTheMiddle() async {
        let (mailbox, other) = (mailbox(), self.mailbox())
        listener.onPart = { part in if case .head = part { mailbox.close() } }
        mailbox.receive(status: 204, headers: [:])
        _ = mailbox.receive([1])
        mailbox.end(nil)
        other.end(nil)
        await listener.untilEnd()
        #expect(listener.parts == [.head(status: 204, headers: [:]), .end(nil)])
    }

    @Test func aFullMailboxAsksForMoreOnceItIsEmpty() async {
        let resumed = Promise<Void>()
        let mailbox = mailbox(maxBytes: 4) { resumed.fulfill(()) }
        #expect(mailbox.receive([1, 2, 3]) == .taken)
        #expect(mailbox.receive([4]) == .full)
        mailbox.flush()
        await resumed.value()
        #expect(listener.parts == [.bytes([1, 2, 3, 4])])
        #expect(mailbox.receive([5]) == .taken)
    }

    @Test func theListenerIsReleasedAtTheEnd() async {
        weak var heard: Marker?
        let mailbox: StreamMailbox
        do {
            let marker = Marker()
            heard = marker
            mailbox = StreamMailbox(
                maxBytes: 1, resume: {},
                hear: { [listener] part in withExtendedLifetime(marker) { listener.hear(part) } })
        }
        mailbox.end(nil)
        await listener.untilEnd()
        await Task.yield()
        #expect(heard == nil)
    }

    private final class Marker: Sendable {}
}
