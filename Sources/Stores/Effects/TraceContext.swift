/// What a request belongs to in somebody's tracing: the `traceparent` of W3C Trace Context.
///
/// The store passes it on, from a client's action to the effects of that action, of the actions that they send, and so on. An
/// adapter of a ``RemoteClient`` sends it with the calls that those make.
public struct TraceContext: Sendable, Hashable {
    /// The value as it was read, to be sent as it is.
    public let traceparent: String

    /// Reads a `traceparent`.
    ///
    /// - Parameter traceparent: the value of the field.
    /// - Returns: nil for one that is malformed: whoever meets it must not pass it on (3.2.2.5).
    public init?(_ traceparent: String) {
        let bytes = Array(traceparent.utf8)
        // Version 00 ends behind the flags. What later versions add follows a dash.
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
