import StorehouseServer
import Testing

struct NodeIdentityTests {
    private let one = NodeIdentity(name: "10.0.0.1:80", secret: Array("a secret of the cluster".utf8))
    private let other = NodeIdentity(name: "10.0.0.2:80", secret: Array("a secret of the cluster".utf8))

    @Test func nodesOfOneClusterAcceptEachOther() {
        let credentials = one.credentials(for: other.name)
        #expect(credentials.hasPrefix("10.0.0.1:80 "))
        #expect(other.number(of: credentials) == 1)
        #expect(other.number(of: credentials) == 1, "also when it is remembered")
        #expect(other.name(of: 1) == "10.0.0.1:80")
        let third = NodeIdentity(name: "10.0.0.3:80", secret: Array("a secret of the cluster".utf8))
        #expect(other.number(of: third.credentials(for: other.name)) == 2)
        #expect(other.name(of: 2) == "10.0.0.3:80")
        #expect([0, 3].allSatisfy { other.name(of: $0) == nil })
    }

    @Test func nothingElseIsAccepted() {
        let stranger = NodeIdentity(name: one.name, secret: Array("another secret".utf8))
        let credentials = one.credentials(for: other.name)
        #expect(other.number(of: stranger.credentials(for: other.name)) == nil)
        #expect(one.number(of: credentials) == nil, "they are for one receiver")
        #expect(other.number(of: credentials.replacing("10.0.0.1", with: "10.0.0.3")) == nil)
        for length in 0..<credentials.count { #expect(other.number(of: String(credentials.prefix(length))) == nil) }
        for text in ["", " ", credentials + "A", credentials + " ", " " + credentials, "10.0.0.1:80  "] {
            #expect(other.number(of: text) == nil)
        }
    }
}
