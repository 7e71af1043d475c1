/// The trace that a client's request belongs to: the `traceparent` and `tracestate` of W3C Trace Context.
///
/// The store passes it from the action of a client to the effects of that action, to the actions that these send, and so on.
/// ``EffectContext/trace`` hands it to an effect, so that a client of a remote service can send it with its calls.
@usableFromInline
package struct TraceContext: Sendable, Hashable {
    /// The value as it was received. It is sent unchanged.
    package let traceparent: String
    /// The data that the systems of the trace have added, as it was received; nil if there is none that may be passed
    /// on.
    package let tracestate: String?

    /// The id of the trace: 32 hexadecimal digits.
    package var id: Substring { traceparent.dropFirst(3).prefix(32) }

    /// Reads a `traceparent` and a `tracestate`.
    ///
    /// - Parameters:
    ///   - traceparent: the value of the field.
    ///   - tracestate: the value of the field; several fields of this name are joined by commas. It is dropped if it has more
    ///     than 32 members or 512 bytes, or characters that a field must not have (3.3).
    /// - Returns: nil if `traceparent` is malformed: such a value must not be passed on (3.2.2.5).
    package init?(_ traceparent: String, tracestate: String? = nil) {
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
        self.tracestate = tracestate.flatMap { Self.canBePassedOn($0) ? $0 : nil }
    }

    private static func canBePassedOn(_ tracestate: String) -> Bool {
        let bytes = tracestate.utf8
        let commas = bytes.count { $0 == UInt8(ascii: ",") }
        guard (1...512).contains(bytes.count), commas < 32 else { return false }
        return bytes.allSatisfy { (0x20...0x7e).contains($0) || $0 == UInt8(ascii: "\t") }
    }

    private static let dash = UInt8(ascii: "-")

    private static func isZero(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "0") }

    /// Hexadecimal, in lower case.
    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
