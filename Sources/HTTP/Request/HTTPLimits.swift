/// Size limits for the parts of a request, in bytes. Larger requests are rejected and never truncated.
package struct HTTPLimits: Sendable, Hashable {
    /// The limit for a header section or a trailer section, including line ends. Larger ones get 431.
    package let maxHeaderBytes: Int
    /// The limit for a request target. Larger ones get 414.
    package let maxTargetBytes: Int
    /// The limit for a decoded body. Larger ones get 413.
    package let maxBodyBytes: Int

    /// Clamps all values to 0 or more, and the first two to at most 2^28, so that offsets in a head fit 32 bits.
    package init(maxHeaderBytes: Int = 16384, maxTargetBytes: Int = 8192, maxBodyBytes: Int = 65536) {
        let cap = 1 << 28
        self.maxHeaderBytes = min(max(0, maxHeaderBytes), cap)
        self.maxTargetBytes = min(max(0, maxTargetBytes), cap)
        self.maxBodyBytes = max(0, maxBodyBytes)
    }

    /// The limit for a method. Longer ones get 501 (RFC 9112, section 3).
    static let maxMethodBytes = 32
    /// The limit for all chunk extensions of a body, as RFC 9112, section 7.1.1 recommends.
    static let maxExtensionBytes = 1024
}
