import Cluster
import Testing

/// The right of an operator, which one node has checked, on its way to another one.
struct OperatorRightTests {
    private static let secret = LinkSecret(Array("a secret that all nodes share".utf8))
    private static let request = signed("DELETE /admin/sessions/a")

    private static func signed(_ message: String) -> SignedRequest { SignedRequest(Array(message.utf8)[...]) }

    /// Both ends of a connection.
    private struct Link {
        var caller: CalledLink
        var answerer: AnsweredLink

        init() throws {
            let calling = try LinkCaller(OperatorRightTests.secret, from: "a:1", to: "b:1", release: "1")
            let answering = try LinkAnswerer(OperatorRightTests.secret, calling.hello, at: "b:1", release: "1")
            let (link, proof) = try calling.receive(answering.answer)
            caller = link
            answerer = try answering.receive(proof)
        }

        mutating func right(_ request: SignedRequest = OperatorRightTests.request) throws -> String {
            let right = caller.right(for: request)
            return try #require(right)
        }

        mutating func gives(_ right: String, _ request: SignedRequest = OperatorRightTests.request) -> Bool {
            answerer.gives(right, to: request)
        }
    }

    @Test func aNodeTakesTheRightFromANodeThatHasCheckedIt() throws {
        var link = try Link()
        for _ in 0..<3 {
            let right = try link.right()
            let isGiven = link.gives(right)
            #expect(isGiven)
        }
    }

    @Test func aRightCountsOnce() throws {
        var link = try Link()
        let first = try link.right()
        let second = try link.right()
        let isGiven = link.gives(second)
        #expect(isGiven)
        for old in [first, second] {
            let isGivenAgain = link.gives(old)
            #expect(!isGivenAgain)
        }
    }

    @Test func aRightIsOfNoUseOnAnotherConnection() throws {
        var (link, other) = (try Link(), try Link())
        let right = try link.right()
        let isGiven = other.gives(right)
        #expect(!isGiven)
    }

    @Test(arguments: ["", "DELETE /admin/sessions/b", "DELETE /admin/sessions/", "DELETE /admin/sessions/a "])
    func aRightIsForOneRequest(_ other: String) throws {
        var link = try Link()
        let right = try link.right()
        let isGivenToOther = link.gives(right, Self.signed(other))
        #expect(!isGivenToOther)
        // The attempt has not used it up.
        let isGiven = link.gives(right)
        #expect(isGiven)
    }

    @Test func nothingElseIsARight() throws {
        var link = try Link()
        let right = try link.right()
        let code = right.dropFirst(2)
        var wrong = [
            "", " ", "1", "2 \(code)", "01 \(code)", "+1 \(code)", "-1 \(code)", "0 \(code)", "x \(code)", " \(right)",
        ]
        wrong += [right + " ", right + "A", right + "=", "99999999999999999999999 \(code)", String(code)]
        wrong += (0..<right.count).map { String(right.prefix($0)) } + ["1 " + String(repeating: "A", count: 100_000)]
        for text in wrong {
            let isGiven = link.gives(text)
            #expect(!isGiven, "\(text.prefix(100))")
        }
        let isGiven = link.gives(right)
        #expect(isGiven)
    }
}
