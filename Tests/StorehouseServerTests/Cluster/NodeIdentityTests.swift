import StorehouseServer
import Testing

struct NodeIdentityTests {
    private let one = NodeIdentity(name: "10.0.0.1:80", secret: Array("a secret of the cluster".utf8))
    private let other = NodeIdentity(name: "10.0.0.2:80", secret: Array("a secret of the cluster".utf8))

    @Test func nodesOfOneClusterAcceptEachOther() {
        let credentials = one.credentials(for: other.name, hour: 7)
        #expect(credentials.hasPrefix("10.0.0.1:80 7 "))
        #expect(other.number(of: credentials, hour: 7) == 1)
        #expect(other.number(of: credentials, hour: 7) == 1, "also when it is remembered")
        #expect(other.name(of: 1) == "10.0.0.1:80")
        let third = NodeIdentity(name: "10.0.0.3:80", secret: Array("a secret of the cluster".utf8))
        #expect(other.number(of: third.credentials(for: other.name, hour: 7), hour: 7) == 2)
        #expect(other.name(of: 2) == "10.0.0.3:80")
        #expect([0, 3].allSatisfy { other.name(of: $0) == nil })
    }

    @Test func aNodeKeepsItsNumberInTheNextHours() {
        for hour in 7..<30 {
            let third = NodeIdentity(name: "10.0.0.3:80", secret: Array("a secret of the cluster".utf8))
            #expect(other.number(of: one.credentials(for: other.name, hour: hour), hour: hour) == 1)
            #expect(other.number(of: third.credentials(for: other.name, hour: hour), hour: hour) == 2)
        }
    }

    @Test(arguments: [false, true])
    func aProofIsOfNoUseAfterItsHourAndTheNext(isRemembered: Bool) {
        let credentials = one.credentials(for: other.name, hour: 7)
        if isRemembered { #expect(other.number(of: credentials, hour: 7) == 1) }
        for hour in [6, 8] { #expect(other.number(of: credentials, hour: hour) == 1) }
        for hour in [0, 5, 9, 1000, .max, .min] { #expect(other.number(of: credentials, hour: hour) == nil) }
    }

    @Test func aProofOfAnEarlierReleaseIsAcceptedOnlyFromANodeOfOne() {
        let credentials = one.olderCredentials(for: other.name)
        #expect(other.number(of: credentials, hour: 7) == nil)
        #expect(other.number(of: credentials, hour: 7) { $0 == "10.0.0.3:80" } == nil)
        #expect(other.number(of: credentials, hour: 7) { $0 == one.name } == 1)
        #expect(other.number(of: credentials + "A", hour: 7) { _ in true } == nil)
        #expect(one.number(of: credentials, hour: 7) { _ in true } == nil, "it is for one receiver")
        #expect(other.number(of: one.credentials(for: other.name, hour: 7), hour: 7) == 1)
    }

    @Test func nothingElseIsAccepted() {
        let stranger = NodeIdentity(name: one.name, secret: Array("another secret".utf8))
        let credentials = one.credentials(for: other.name, hour: 7)
        #expect(other.number(of: stranger.credentials(for: other.name, hour: 7), hour: 7) == nil)
        #expect(one.number(of: credentials, hour: 7) == nil, "they are for one receiver")
        #expect(other.number(of: credentials.replacing("10.0.0.1", with: "10.0.0.3"), hour: 7) == nil)
        for text in ["8", "07", "+7", "x", ""] {
            #expect(other.number(of: credentials.replacing(" 7 ", with: " \(text) "), hour: 7) == nil)
        }
        for length in 0..<credentials.count {
            #expect(other.number(of: String(credentials.prefix(length)), hour: 7) == nil)
        }
        for text in ["", " ", credentials + "A", credentials + " ", " " + credentials, "10.0.0.1:80 7 "] {
            #expect(other.number(of: text, hour: 7) == nil)
        }
    }
}
