import StorehouseServer
import Testing

/// How nodes of earlier releases prove themselves.
struct EarlierProofsTests {
    private static let hour = 3_600_000
    private let one = EarlierProofs("10.0.0.1:80", secret: Array("a secret of the cluster".utf8))
    private let other = EarlierProofs("10.0.0.2:80", secret: Array("a secret of the cluster".utf8))

    private func field(_ way: EarlierProofs.Way, hour: Int = 7) -> String {
        one.field(for: "10.0.0.2:80", way, now: hour * Self.hour)
    }

    private func sender(_ field: String, hour: Int = 7, _ way: EarlierProofs.Way?) -> String? {
        other.sender(of: field, now: hour * Self.hour) { $0 == "10.0.0.1:80" ? way : nil }
    }

    @Test func aNodeOfAnEarlierReleaseIsKnownByTheWayOfItsRelease() {
        #expect(field(.hourly).hasPrefix("10.0.0.1:80 7 "))
        #expect(sender(field(.hourly), .hourly) == "10.0.0.1:80")
        #expect(sender(field(.hourly), .hourly) == "10.0.0.1:80", "also when it is remembered")
        #expect(sender(field(.undated), .undated) == "10.0.0.1:80")
        #expect(sender(field(.undated), hour: 9000, .undated) == "10.0.0.1:80")
    }

    @Test func noOtherWayIsAccepted() {
        #expect(sender(field(.hourly), .undated) == nil)
        #expect(sender(field(.undated), .hourly) == nil)
    }

    @Test(arguments: [EarlierProofs.Way.undated, .hourly])
    func aNodeOfThisReleaseCannotProveItselfThisWay(_ way: EarlierProofs.Way) {
        #expect(sender(field(way), nil) == nil)
        #expect(sender(field(way), way) == "10.0.0.1:80")
        // It was remembered, and the node is of a later release now.
        #expect(sender(field(way), nil) == nil)
    }

    @Test(arguments: [false, true])
    func aProofIsOfNoUseAfterItsHourAndTheNext(isRemembered: Bool) {
        if isRemembered { #expect(sender(field(.hourly), .hourly) != nil) }
        for hour in [6, 8] { #expect(sender(field(.hourly), hour: hour, .hourly) != nil) }
        for hour in [0, 5, 9, 1000] { #expect(sender(field(.hourly), hour: hour, .hourly) == nil) }
    }

    @Test(arguments: [EarlierProofs.Way.undated, .hourly])
    func nothingElseIsAccepted(_ way: EarlierProofs.Way) {
        let stranger = EarlierProofs("10.0.0.1:80", secret: Array("another secret".utf8))
        #expect(sender(stranger.field(for: "10.0.0.2:80", way, now: 7 * Self.hour), way) == nil)
        let field = field(way)
        #expect(one.sender(of: field, now: 7 * Self.hour) { _ in way } == nil, "it is for one receiver")
        let renamed = field.replacing("10.0.0.1", with: "10.0.0.3")
        #expect(other.sender(of: renamed, now: 7 * Self.hour) { _ in way } == nil)
        for length in 0..<field.count { #expect(sender(String(field.prefix(length)), way) == nil) }
        for text in ["", " ", field + "A", field + " ", " " + field, "10.0.0.1:80 7 ", "10.0.0.1:80 "] {
            #expect(sender(text, way) == nil)
        }
        for text in ["8", "07", "+7", "x", ""] {
            #expect(sender(field.replacing(" 7 ", with: " \(text) "), way) == nil || way == .undated)
        }
    }
}
