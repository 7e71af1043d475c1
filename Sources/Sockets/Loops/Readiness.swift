/// What a loop found about a descriptor.
package struct Readiness: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let readable = Readiness(rawValue: 1)
    package static let writable = Readiness(rawValue: 2)
    /// An error waits on the descriptor, or both directions have ended. `epoll` tells it whatever the interest is;
    /// a dispatch source tells it as the readiness that was asked for.
    package static let failed = Readiness(rawValue: 4)
}
