import StorehouseServer
import Testing

struct NodeIdentityTests {
    private let one = NodeIdentity(name: "10.0.0.1:80", secret: Array("a secret of the cluster".utf8))
    private let other = NodeIdentity(name: "10.0.0.2:80", secret: Array("a secret of the cluster".utf8))

    @Test func nodesOfOneClusterAcceptEachOther() {
        let credentials = one.credentials(for: other.name)
        #expect(credentials.hasPrefix("10.0.0.1:80 "))
        #expect(other.accepts(credentials))
        #expect(other.accepts(credentials), "also when it is remembered")
    }

    @Test func nothingElseIsAccepted() {
        let stranger = NodeIdentity(name: one.name, secret: Array("another secret".utf8))
        let credentials = one.credentials(for: other.name)
        #expect(!other.accepts(stranger.credentials(for: other.name)))
        #expect(!one.accepts(credentials), "they are for one receiver")
        #expect(!other.accepts(credentials.replacing("10.0.0.1", with: "10.0.0.3")))
        for length in 0..<credentials.count { #expect(!other.accepts(String(credentials.prefix(length)))) }
        for text in ["", " ", credentials + "A", credentials + " ", " " + credentials, "10.0.0.1:80  "] {
            #expect(!other.accepts(text))
        }
    }
}
