import JSON
import Sessions
import Stores
import Testing

/// Another entry under a known number is found, however the entry is written.
@Suite struct EntryHashTests {
    private let client = ClientKey("AAAAAAAAAAAAAAAAAAAAAA", .holder)
    private let hasher = EntryHasher(secret: Array("secret".utf8))

    private func hash(_ actions: String, ifMatch: String? = nil, number: Int = 1) throws -> EntryHash {
        let actions = try #require(try JSONValue(parsing: Array(actions.utf8)).asArray)
        return hasher.hash(actions, ifMatch: ifMatch, number, of: client)
    }

    @Test(arguments: [
        (#"[{"type":"a/b","payload":{"x":1,"y":[1,2]}}]"#, #" [{ "payload" : {"y":[1, 2],"x":1}, "type":"a\/b" }] "#),
        (#"[{"type":"a/b","payload":{"x":"\#u{e9}/"}}]"#, #"[{"type":"\u0061/b","payload":{"x":"\u00e9\/"}}]"#),
        (#"[{"type":"a/b"},{"type":"c/d"}]"#, #"[{"type":"a/b","payload":{}},{"type":"c/d"}]"#),
        (#"[{"a":[1,0,10,1.5,-3,12e30]}]"#, #"[{"a":[1.0,-0.0,1e1,15e-1,-3.00,1.20e31]}]"#),
        (#"[{"a":{"b":{"c":1,"d":2},"e":3}}]"#, #"[{"a":{"e":3,"b":{"d":2,"c":1}}}]"#), ("[]", " [ ] "),
    ])
    func anotherSpellingIsTheSameEntry(one: String, other: String) throws {
        #expect(try hash(one) == hash(other))
    }

    @Test(arguments: [
        (#"[{"type":"a/b","payload":{"password":"one"}}]"#, #"[{"type":"a/b","payload":{"password":"two"}}]"#),
        (#"[{"type":"a/b","payload":{"x":null}}]"#, #"[{"type":"a/b","payload":{}}]"#),
        (#"[{"type":"a/b","payload":{"x":1}}]"#, #"[{"type":"a/b","payload":{"x":"1"}}]"#),
        (#"[{"type":"a/b"},{"type":"c/d"}]"#, #"[{"type":"c/d"},{"type":"a/b"}]"#),
        (#"[{"type":"a/b"}]"#, #"[{"type":"a/b"},{"type":"a/b"}]"#), ("[]", "[null]"), ("[[]]", "[{}]"),
        (#"["\#u{e9}"]"#, #"["e\#u{301}"]"#), ("[12345678901234567890]", "[12345678901234567891]"),
    ])
    func anotherEntryIsAnother(one: String, other: String) throws {
        #expect(try hash(one) != hash(other))
    }

    @Test func theConditionTheNumberAndTheClientBelongToTheHash() throws {
        let entry = #"[{"type":"a/b"}]"#
        #expect(try hash(entry) != hash(entry, ifMatch: "8.x"))
        #expect(try hash(entry, ifMatch: "8.x") != hash(entry, ifMatch: "9.x"))
        #expect(try hash(entry) != hash(entry, number: 2))
        let other = ClientKey("AAAAAAAAAAAAAAAAAAAAAA", .permit("p"))
        #expect(try hash(entry) != hasher.hash([["type": "a/b"]], ifMatch: nil, 1, of: other))
    }

    @Test func anotherSecretMakesOtherHashes() throws {
        let other = EntryHasher(secret: Array("other".utf8))
        #expect(other.keyID != hasher.keyID)
        #expect(try hash("[1]") != other.hash([1], ifMatch: nil, 1, of: client))
    }

    @Test func scopesAreApart() {
        let id = "AAAAAAAAAAAAAAAAAAAAAA"
        let scopes: [ClientScope?] = [
            .holder, .permit("alice"), .permit("user\nalice"), .actor(.user("alice")), .actor(.guest("guest:alice")),
            .actor(.user("guest:alice")), .actor(.user("\u{e9}")), .actor(.user("e\u{301}")),
        ]
        let keys = Set(scopes.compactMap { $0.map { ClientKey(id, $0) } })
        #expect(keys.count == scopes.count)
        #expect(!keys.contains(ClientKey("AAAAAAAAAAAAAAAAAAAAAQ", .holder)))
        #expect(ClientScope.actor(.anonymous) == nil && ClientScope.actor(.system) == nil)
    }

    /// RFC 4231, test cases 1, 2 and 6.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func theCodeIsThatOfTheStandard(key: [UInt8], message: String, expected: String) {
        let code = HMAC.code(Array(message.utf8), key: key)
        #expect(code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == expected)
    }
}
