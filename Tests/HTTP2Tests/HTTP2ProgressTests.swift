import HTTP2
import Testing

/// When the bytes of a response are offered, and what follows a frame.
@Suite struct HTTP2ProgressTests {
    @Test func nothingIsOfferedBeforeItIsThere() {
        var progress = HTTP2Progress()
        let isOffered = progress.offers(hasBytes: false)
        #expect(!isOffered)
    }

    @Test func bytesAreOfferedOnceUntilAllAreTaken() {
        var progress = HTTP2Progress()
        let offers = [progress.offers(hasBytes: true), progress.offers(hasBytes: true)]
        #expect(offers == [true, false])
        let rest = [progress.taken(hasMore: true), progress.taken(hasMore: false)]
        #expect(rest == [.more, .later])
        let isOfferedAgain = progress.offers(hasBytes: true)
        #expect(isOfferedAgain)
    }

    @Test func theEndIsThatOfTheLastBytes() {
        var progress = HTTP2Progress()
        _ = progress.offers(hasBytes: true)
        progress.end()
        let rest = [progress.taken(hasMore: true), progress.taken(hasMore: false)]
        #expect(rest == [.more, .end])
        #expect(progress.isOver)
        let isOffered = progress.offers(hasBytes: false)
        #expect(!isOffered)
    }

    @Test func anEndWithoutBytesIsOffered() {
        var progress = HTTP2Progress()
        progress.end()
        let isOffered = progress.offers(hasBytes: false)
        #expect(isOffered)
        let rest = progress.taken(hasMore: false)
        #expect(rest == .end)
    }

    @Test func aResponseThatIsCutIsNotOffered() {
        var progress = HTTP2Progress()
        _ = progress.offers(hasBytes: true)
        progress.cut()
        progress.end()
        let rest = progress.taken(hasMore: false)
        #expect(rest == .later)
        let isOffered = progress.offers(hasBytes: true)
        #expect(!isOffered && !progress.isOver)
    }

    @Test func aHeadCanBeTheEnd() {
        var progress = HTTP2Progress()
        progress.endWithHead()
        progress.end()
        let isOffered = progress.offers(hasBytes: false)
        #expect(!isOffered && progress.isOver)
        progress.cut()
        #expect(progress.isOver)
    }
}
