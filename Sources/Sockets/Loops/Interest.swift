/// What a handler wants to hear of about a descriptor.
package struct Interest: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// There are bytes, a connection or an end to read.
    package static let readable = Interest(rawValue: 1)
    /// There is room to write.
    package static let writable = Interest(rawValue: 2)
}
