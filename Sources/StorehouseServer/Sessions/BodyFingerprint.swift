import JSON

/// Tells a body from others (FNV-1a, 64 bits).
struct BodyFingerprint: Sendable {
    /// Of the bytes as they came; for this process only, since a secret can be found by it.
    let exact: UInt64
    /// Of what may be kept; the same in every process.
    let kept: UInt64

    /// - Parameter masked: the body without its secrets.
    init(_ body: [UInt8], _ masked: JSONValue) {
        exact = Self.hash(body)
        kept = Self.hash(masked.encoded())
    }

    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}
