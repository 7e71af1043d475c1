import Stores
import Testing

@Suite struct RejectionTests {
    @Test func aRejectionBlamesTheSenderUnlessSaidOtherwise() {
        let refusal: Rejection = "too-hot"
        #expect(refusal == Rejection("too-hot"))
        #expect(!refusal.isFault)
    }

    @Test func aFaultIsNotTheRefusalOfTheSameWord() {
        #expect(Rejection("too-hot", isFault: true) != "too-hot")
        #expect(Rejection("too-hot", isFault: true).reason == "too-hot")
    }
}
