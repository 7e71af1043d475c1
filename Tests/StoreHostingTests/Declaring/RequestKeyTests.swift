import StoreHosting
import Testing

@Suite struct RequestKeyTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 119), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
    ])
    func theHashIsThatOfTheStandard(_ text: String, _ hash: String) {
        let hex = SHA256.hash(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(hex == hash)
    }

    @Test func partsDoNotRunTogether() {
        #expect(RequestKey.make("a", "b1", 1, salt: "") != RequestKey.make("a", "b", 11, salt: ""))
        #expect(RequestKey.make("a", "bc", 1, salt: "") != RequestKey.make("ab", "c", 1, salt: ""))
        #expect(RequestKey.make("a", "b", 1, salt: "") == RequestKey.make("a", "b", 1, salt: ""))
    }

    @Test func theSaltIsTheEndOfTheKey() {
        let salt = RequestKey.salt()
        let key = RequestKey.make("a", "b", 1, salt: salt)
        #expect(key.count == 48 && RequestKey.salt(of: key) == salt)
        #expect(key.prefix(32) != RequestKey.make("a", "b", 1, salt: RequestKey.salt()).prefix(32))
        // Kept by a program whose keys had none.
        #expect(RequestKey.salt(of: RequestKey.make("a", "b", 1, salt: "")) == "")
    }
}
