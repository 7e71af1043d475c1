import JSON
import Testing

/// Encoded objects are compared member by member.
@Suite struct EncodedMembersTests {
    /// The changes as texts.
    private func changes(_ old: String, _ new: String) -> [String]? {
        let (old, new) = (Array(old.utf8), Array(new.utf8))
        return old.withUnsafeBytes { old in
            new.withUnsafeBytes { new in
                EncodedMembers.changes(from: old, to: new)?.map { change in
                    let before = String(decoding: old[change.old], as: UTF8.self)
                    return "\(change.name): \(before) → \(String(decoding: new[change.new], as: UTF8.self))"
                }
            }
        }
    }

    @Test func membersWithOtherBytesAreChanges() {
        #expect(changes(#"{"a":1,"b":"x","c":[1]}"#, #"{"a":1,"b":"x","c":[1]}"#) == [])
        #expect(changes(#"{"a":1,"b":"x","c":[1]}"#, #"{"a":2,"b":"x","c":[2]}"#) == ["a: 1 → 2", "c: [1] → [2]"])
        #expect(changes(#"{"a":"\#u{e9}"}"#, #"{"a":"e\#u{301}"}"#) == ["a: \"\u{e9}\" → \"e\u{301}\""])
        #expect(changes("{}", "{}") == [])
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":1}"#, #"{"a":1,"b":1}"#), (#"{"a":1,"b":1}"#, #"{"b":1,"a":1}"#),
        (#"{"a":1}"#, "{}"), (#"{"\"":1}"#, #"{"\"":2}"#), ("[1]", "[2]"), ("1", "2"), ("", ""),
        (#"{"\#u{e9}":1}"#, #"{"e\#u{301}":1}"#),
    ])
    func objectsWithOtherMembersAreNotCompared(old: String, new: String) { #expect(changes(old, new) == nil) }

    @Test func aMemberOfAMemberIsFoundToTheByte() {
        let text = Array(#""entities":{"\#u{e9}":{"x":1},"e\#u{301}":2},"ids":[3]"#.utf8)
        func found(_ name: String, in outer: StaticString = "entities") -> String? {
            text.withUnsafeBytes { text in
                EncodedMembers.value(of: name.utf8, in: outer, of: text).map {
                    String(decoding: text[$0], as: UTF8.self)
                }
            }
        }
        #expect(found("\u{e9}") == #"{"x":1}"# && found("e\u{301}") == "2")
        #expect(found("e") == nil && found("x", in: "ids") == nil && found("\u{e9}", in: "none") == nil)
    }
}
