import HTTPServer
import Testing

/// The ids that the server gives to requests.
@Suite struct RequestIDsTests {
    @Test func eachIDIsNewAndValid() {
        var (first, second) = (RequestIDs(), RequestIDs())
        var ids: Set<String> = []
        for _ in 0..<1000 {
            for id in [first.next(), second.next()] {
                #expect(id.utf8.count == 15 && RequestIDs.isValid(id))
                ids.insert(id)
            }
        }
        #expect(ids.count == 2000)
    }

    @Test(arguments: ["a", "A-b_c.9", "0f8fad5b-d9cb-469f-a165-70867728950e", String(repeating: "x", count: 64)])
    func clientsMayNameTheirRequests(_ id: String) { #expect(RequestIDs.isValid(id)) }

    @Test(arguments: ["", " ", "a b", "a\"", "a\\", "a/b", "ü", "a,b", "a\n", String(repeating: "x", count: 65)])
    func otherTextsAreNoIDs(_ id: String) { #expect(!RequestIDs.isValid(id)) }
}
