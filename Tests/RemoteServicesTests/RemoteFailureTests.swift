import JSON
import RemoteServices
import Testing

@Suite struct RemoteFailureTests {
    @Test func anAnswerSaysWhetherTheServiceHasDeclinedOrFailed() throws {
        let declined = RemoteResponse.json(["reason": "no-funds"], status: 402)
        #expect {
            try declined.requireSuccess()
        } throws: { error in
            guard case RemoteFailure.declined(let answer) = error else { return false }
            return answer.status == 402 && answer.json == ["reason": "no-funds"]
        }
        #expect(RemoteFailure(.init(status: 500)) == .serverError(.init(status: 500)))
        #expect(RemoteFailure(.init(status: 304)) == .otherStatus(.init(status: 304)))
    }

    @Test(arguments: RemoteFailure.Code.allCases)
    func aFailureKeepsItsCodeAndItsMessage(_ code: RemoteFailure.Code) {
        let failure = RemoteFailure(code, "no")
        #expect(failure.code == code)
        #expect(failure.message == "no")
        #expect(failure.answer == nil)
    }

    @Test(arguments: [(65_535, 65_535), (65_536, 65_536), (65_537, 65_536), (1_000_000, 65_536)])
    func aLongBodyIsCutOff(_ length: Int, _ kept: Int) {
        let response = RemoteResponse(status: 500, body: Array(repeating: UInt8(ascii: "x"), count: length))
        #expect(throws: RemoteFailure(.init(status: 500, body: String(repeating: "x", count: kept)))) {
            try response.requireSuccess()
        }
    }

    @Test func aBodyIsNotCutOffInsideOfAScalar() {
        // Each has two bytes, and the first begins at an odd place.
        let body = "x" + String(repeating: "é", count: 40_000)
        #expect(RemoteFailure.Answer(status: 500, body: body).body.utf8.count == 65_535)
        let bytes = [UInt8](repeating: 0xFF, count: 70_000)
        #expect {
            try RemoteResponse(status: 400, body: bytes).requireSuccess()
        } throws: { ($0 as? RemoteFailure)?.answer?.body.utf8.count == 65_535 }
    }

    @Test func onlyAMissingAnswerIsAskedForAgain() {
        let passing: [RemoteFailure] = [
            .timeout(""), .unreachable(""), .interrupted(""), .refusedByBreaker(""), .overloaded(""),
            .serverError(.init(status: 503)), .declined(.init(status: 429)),
        ]
        let final: [RemoteFailure] = [
            .serverError(.init(status: 500)), .declined(.init(status: 402)), .badBody(""), .tooLarge(""),
            .badStatus(""),
        ]
        #expect(passing.allSatisfy { $0.isInTransit })
        #expect(!final.contains { $0.isInTransit })
    }
}
