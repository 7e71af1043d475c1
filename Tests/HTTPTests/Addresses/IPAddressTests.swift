import HTTP
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::A", "2001:db8::a"),
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("0:0:0:0:0:0:0:1", "::1"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ("1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5:6:c000:201"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"),
        ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
        ("fe80:0001::", "fe80:1::"),
    ])
    func anAddressIsParsed(text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test(arguments: [
        "", ".", ":", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.04",
        "00.1.2.3", "1..2.3", ".1.2.3", "1.2.3.", "1.2.3.1000", "1.2.3.+4", " 1.2.3.4", "1.2.3.4 ",
        "1.2.3.4:80",
        "[::1]", "::1]", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "12345::", "::g",
        "fe80::1%eth0", "1.2.3.4::", "::1.2.3", "::1.2.3.4:5", "::ffff:1.2.3.400", "localhost", "1e1.2.3.4",
        "0x7f.0.0.1",
        "2130706433", "１.2.3.4",
    ])
    func anyOtherTextIsNoAddress(text: String) { #expect(IPAddress(text) == nil) }

    @Test(arguments: [("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("::ffff:127.0.0.1", true)])
    func loopbackIsRecognized(text: String, isLoopback: Bool) throws {
        #expect(try #require(IPAddress(text)).isLoopback == isLoopback)
        for other in ["128.0.0.1", "0.0.0.0", "::", "::2", "::7f00:1"] {
            #expect(try #require(IPAddress(other)).isLoopback == false)
        }
    }

    @Test(arguments: [
        ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false),
        ("192.0.2.9/24", "192.0.2.1", true),
        ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
        ("::/0", "8.8.8.8", false), ("10.1.2.3", "10.1.2.3", true), ("10.1.2.3", "10.1.2.4", false),
        ("10.1.2.3/32", "::ffff:10.1.2.3", true), ("::ffff:10.0.0.0/104", "10.9.9.9", true),
        ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
        ("fe80::/10", "febf::1", true), ("::1/128", "::1", true),
    ])
    func aRangeContainsItsNetwork(range: String, address: String, isInside: Bool) throws {
        let network = try #require(AddressRange(range))
        #expect(network.contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "::/129", "/8", "10.0.0.0/8/8", "a/8",
        "::ffff:0:0/95",
    ])
    func anyOtherTextIsNoRange(text: String) { #expect(AddressRange(text) == nil) }
}
