import HTTP
import Sessions
import StorehouseServer
import Testing

struct RevisionSetTests {
    @Test(arguments: [
        ("3.k2", true), ("3", true), ("4.k2", false), ("3.", false), ("3.k", false), ("3.k2.x", false),
        ("03.k2", false), ("+3", false), ("", false), (".k2", false), ("3k2", false),
    ])
    func aTagNamesARevisionOfAHistory(opaque: String, isNamed: Bool) throws {
        let weak = try #require(try EntityTagCondition(["W/\"\(opaque)\""]))
        #expect(RevisionSet(weak) { _ in true }.contains(3, of: "k2") == isNamed)
        #expect(!RevisionSet(weak) { !$0.isWeak }.contains(3, of: "k2"))
        let strong = try #require(try EntityTagCondition(["\"\(opaque)\""]))
        #expect(RevisionSet(strong) { !$0.isWeak }.contains(3, of: "k2") == isNamed)
    }

    @Test func aStarNamesEveryRevision() {
        #expect(RevisionSet(.any) { _ in false }.contains(3, of: "k2"))
    }
}
