/// How many bytes the parts of a request may have. What is over a limit is refused, never cut.
package struct HTTPLimits: Sendable, Hashable {
    /// The most bytes of a header section or of a trailer section, line ends counted; over it: 431.
    package let maxHeaderBytes: Int
    /// The most bytes of a request target; over it: 414.
    package let maxTargetBytes: Int
    /// The most bytes of a body after its transfer coding is taken off; over it: 413.
    package let maxBodyBytes: Int

    /// Makes limits. Values below 0 count as 0, and the first two are capped at 2^28, so that offsets into a head
    /// always fit in 32 bits.
    package init(maxHeaderBytes: Int = 16384, maxTargetBytes: Int = 8192, maxBodyBytes: Int = 65536) {
        let cap = 1 << 28
        self.maxHeaderBytes = min(max(0, maxHeaderBytes), cap)
        self.maxTargetBytes = min(max(0, maxTargetBytes), cap)
        self.maxBodyBytes = max(0, maxBodyBytes)
    }

    /// The longest method that is read: longer ones are answered with 501 (RFC 9112, section 3).
    static let maxMethodBytes = 32
    /// The most bytes of chunk extensions in one body (RFC 9112, section 7.1.1 asks for such a limit).
    static let maxExtensionBytes = 1024
}
