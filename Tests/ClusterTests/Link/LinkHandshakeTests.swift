import Cluster
import Testing

/// The messages with which two nodes prove to each other that they have the same secret.
struct LinkHandshakeTests {
    private static let secret = LinkSecret(Array("a secret that all nodes share".utf8))
    private static let one = "10.0.0.1:80"
    private static let other = "10.0.0.2:80"

    private static func caller(
        _ secret: LinkSecret = secret, from own: String = one, to other: String = other
    ) throws -> LinkCaller {
        try LinkCaller(secret, from: own, to: other, release: "1.0")
    }

    private static func answerer(
        _ hello: String, _ secret: LinkSecret = secret, at own: String = other
    ) throws -> LinkAnswerer {
        try LinkAnswerer(secret, hello, at: own, release: "1.1")
    }

    @Test func bothEndsProveThatTheyHaveTheSecret() throws {
        let caller = try Self.caller()
        let answerer = try Self.answerer(caller.hello)
        #expect(answerer.caller == Self.one)
        let (_, proof) = try caller.receive(answerer.answer)
        _ = try answerer.receive(proof)
    }

    @Test func theMessagesTellTheVersionsAndNothingOfTheSecret() throws {
        let caller = try Self.caller()
        let answerer = try Self.answerer(caller.hello)
        #expect(caller.hello.hasPrefix("1 1.0 10.0.0.1:80 "))
        #expect(answerer.answer.hasPrefix("1 1.1 "))
        let (_, proof) = try caller.receive(answerer.answer)
        for message in [caller.hello, answerer.answer, proof] {
            #expect(!message.contains("secret"))
            #expect(message.utf8.allSatisfy { 0x20...0x7e ~= $0 })
        }
    }

    @Test func aCallerWithAnotherSecretGetsNoAnswer() throws {
        let stranger = try Self.caller(LinkSecret(Array("another secret".utf8)))
        #expect(throws: LinkVersion.Failure.notProven) { try Self.answerer(stranger.hello) }
    }

    @Test func anAnswererWithAnotherSecretGetsNoProof() throws {
        let stranger = LinkSecret(Array("another secret".utf8))
        let caller = try Self.caller()
        let answerer = try Self.answerer(try Self.caller(stranger).hello, stranger)
        #expect(throws: LinkVersion.Failure.notProven) { try caller.receive(answerer.answer) }
    }

    @Test func aHelloForAnotherNodeIsRefused() throws {
        let hello = try Self.caller().hello
        #expect(throws: LinkVersion.Failure.notProven) { try Self.answerer(hello, at: "10.0.0.3:80") }
        let renamed = hello.replacing(Self.one, with: "10.0.0.3:80")
        #expect(throws: LinkVersion.Failure.notProven) { try Self.answerer(renamed) }
    }

    @Test func whoeverRepeatsAHelloCannotProveItself() throws {
        let caller = try Self.caller()
        let first = try Self.answerer(caller.hello)
        let (_, proof) = try caller.receive(first.answer)
        let second = try Self.answerer(caller.hello)
        #expect(second.answer != first.answer)
        #expect(throws: LinkVersion.Failure.notProven) { try second.receive(proof) }
    }

    @Test func theAnswerToAnotherConnectionIsRefused() throws {
        let (caller, later) = (try Self.caller(), try Self.caller())
        let answer = try Self.answerer(caller.hello).answer
        _ = try caller.receive(answer)
        #expect(throws: LinkVersion.Failure.notProven) { try later.receive(answer) }
    }

    @Test func noMessageIsOfUseInThePlaceOfAnotherOne() throws {
        let caller = try Self.caller()
        let answerer = try Self.answerer(caller.hello)
        let (_, proof) = try caller.receive(answerer.answer)
        func code(_ message: String) -> String { String(message.split(separator: " ").last ?? "") }
        // A node that gets back what it has sent.
        for hello in [caller.hello, answerer.answer] {
            #expect(throws: LinkVersion.Failure.self) { try Self.answerer(hello, at: Self.one) }
        }
        for wrong in [code(caller.hello), code(answerer.answer), caller.hello, answerer.answer] {
            #expect(throws: LinkVersion.Failure.notProven) { try answerer.receive(wrong) }
        }
        for wrong in [code(caller.hello), proof] {
            let answer = answerer.answer.replacing(code(answerer.answer), with: wrong)
            #expect(throws: LinkVersion.Failure.notProven) { try caller.receive(answer) }
        }
    }

    @Test func aVersionThatIsNotKnownIsNamed() throws {
        let caller = try Self.caller()
        let answer = try Self.answerer(caller.hello).answer
        #expect(throws: LinkVersion.Failure.version(2)) { try Self.answerer("2" + caller.hello.dropFirst()) }
        #expect(throws: LinkVersion.Failure.version(2)) { try Self.answerer("2 and whatever that version says") }
        #expect(throws: LinkVersion.Failure.version(3)) { try caller.receive("3" + answer.dropFirst()) }
        for version in ["0", "01", "+1", "-1", "1000000", "9999999999999999999", "", "x"] {
            #expect(throws: LinkVersion.Failure.malformed) { try Self.answerer(version + caller.hello.dropFirst()) }
            #expect(throws: LinkVersion.Failure.malformed) { try caller.receive(version + answer.dropFirst()) }
        }
        #expect(LinkVersion.Failure.version(2).description.contains("version 2 "))
    }

    /// The release is signed too, so that nobody makes two nodes believe that one of them is older.
    @Test func aReleaseThatWasChangedIsRefused() throws {
        let caller = try Self.caller()
        let answerer = try Self.answerer(caller.hello)
        let hello = caller.hello.replacing(" 1.0 ", with: " 0.9 ")
        #expect(throws: LinkVersion.Failure.notProven) { try Self.answerer(hello) }
        let answer = answerer.answer.replacing(" 1.1 ", with: " 0.9 ")
        #expect(throws: LinkVersion.Failure.notProven) { try caller.receive(answer) }
    }

    @Test func noPartOfAMessageIsAccepted() throws {
        let caller = try Self.caller()
        let answerer = try Self.answerer(caller.hello)
        let (_, proof) = try caller.receive(answerer.answer)
        for length in 0..<caller.hello.count {
            #expect(throws: LinkVersion.Failure.self) { try Self.answerer(String(caller.hello.prefix(length))) }
        }
        for length in 0..<answerer.answer.count {
            #expect(throws: LinkVersion.Failure.self) { try caller.receive(String(answerer.answer.prefix(length))) }
        }
        for length in 0..<proof.count {
            #expect(throws: LinkVersion.Failure.self) { try answerer.receive(String(proof.prefix(length))) }
        }
    }

    @Test func nothingIsAcceptedBehindOrBesideAMessage() throws {
        let caller = try Self.caller()
        let answerer = try Self.answerer(caller.hello)
        let (_, proof) = try caller.receive(answerer.answer)
        for more in [" ", "A", "=", " A", "\n", "\u{e9}"] {
            #expect(throws: LinkVersion.Failure.self) { try Self.answerer(caller.hello + more) }
            #expect(throws: LinkVersion.Failure.self) { try Self.answerer(more + caller.hello) }
            #expect(throws: LinkVersion.Failure.self) { try caller.receive(answerer.answer + more) }
            #expect(throws: LinkVersion.Failure.self) { try answerer.receive(proof + more) }
        }
        #expect(throws: LinkVersion.Failure.self) { try Self.answerer(caller.hello.replacing(" ", with: "  ")) }
    }

    @Test func aMessageThatIsTooLongIsNotLookedAt() throws {
        let long = String(repeating: "a", count: 1_000_000)
        let caller = try Self.caller()
        let answerer = try Self.answerer(caller.hello)
        #expect(throws: LinkVersion.Failure.malformed) { try Self.answerer("1 1.0 \(long) \(long) \(long)") }
        #expect(throws: LinkVersion.Failure.malformed) { try caller.receive("1 1.1 \(long) \(long)") }
        #expect(throws: LinkVersion.Failure.notProven) { try answerer.receive(long) }
        // With the right code, too.
        let named = try Self.caller(from: String(repeating: "n", count: 600))
        #expect(throws: LinkVersion.Failure.malformed) { try Self.answerer(named.hello) }
    }
}
