/// The trace that a client's request belongs to: the `traceparent` of W3C Trace Context.
///
/// The store passes it from the action of a client to the effects of that action, to the actions that these send, and so on.
/// ``EffectContext/trace`` hands it to an effect, so that a client of a remote service can send it with its calls.
public struct TraceContext: Sendable, Hashable {
    /// The value as it was received. It is sent unchanged.
    public let traceparent: String

    /// Reads a `traceparent`.
    ///
    /// - Parameter traceparent: the value of the field.
    /// - Returns: nil if the value is malformed: such a value must not be passed on (3.2.2.5).
    public init?(_ traceparent: String) {
        let bytes = Array(traceparent.utf8)
        // Version 00 ends behind the flags. Later versions may add fields behind another dash.
        guard bytes.count == 55 || bytes.count > 55 && bytes.count <= 512 && bytes[55] == Self.dash else { return nil }
        guard [2, 35, 52].allSatisfy({ bytes[$0] == Self.dash }) else { return nil }
        let (version, trace, parent, flags) = (bytes[0..<2], bytes[3..<35], bytes[36..<52], bytes[53..<55])
        guard [version, trace, parent, flags].allSatisfy({ $0.allSatisfy(Self.isDigit) }),
            !version.elementsEqual("ff".utf8), !version.elementsEqual("00".utf8) || bytes.count == 55,
            !trace.allSatisfy(Self.isZero), !parent.allSatisfy(Self.isZero),
            bytes[55...].allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        self.traceparent = traceparent
    }

    private static let dash = UInt8(ascii: "-")

    private static func isZero(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "0") }

    /// Hexadecimal, in lower case.
    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
