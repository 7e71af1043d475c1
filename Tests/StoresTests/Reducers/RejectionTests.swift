import Stores
import Testing

@Suite struct RejectionTests {
    @Test func aRejectionIsNoFaultByDefault() {
        let refusal: Rejection = "too-hot"
        #expect(refusal == Rejection("too-hot"))
        #expect(!refusal.isFault)
    }

    @Test func aFaultDiffersFromARejectionWithTheSameCode() {
        #expect(Rejection("too-hot", isFault: true) != "too-hot")
        #expect(Rejection("too-hot", isFault: true).reason == "too-hot")
    }
}
