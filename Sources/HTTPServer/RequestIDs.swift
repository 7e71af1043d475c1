import HTTP

/// Names the requests of one event loop: a random prefix, and a counter.
package struct RequestIDs: Sendable {
    private static let counterDigits = 7

    /// Eight characters.
    private let prefix: UInt64
    private var count: UInt64 = 0

    package init() {
        var random = UInt64.random(in: .min ... .max)
        var prefix: UInt64 = 0
        for _ in 0..<8 {
            prefix = prefix << 8 | UInt64(Self.digit(random))
            random >>= 5
        }
        self.prefix = prefix
    }

    /// The id of the next request. It has 15 characters, which a string holds without memory of its own.
    package mutating func next() -> String {
        if count >> (5 * Self.counterDigits) > 0 { self = RequestIDs() }
        var rest = count
        count += 1
        return String(unsafeUninitializedCapacity: 8 + Self.counterDigits) { bytes in
            UnsafeMutableRawBufferPointer(bytes).storeBytes(of: prefix, as: UInt64.self)
            for index in stride(from: 7 + Self.counterDigits, to: 7, by: -1) {
                bytes[index] = Self.digit(rest)
                rest >>= 5
            }
            return 8 + Self.counterDigits
        }
    }

    /// Whether a client may name its request so: 1 to 64 letters, digits, dots, underscores and hyphens.
    ///
    /// The id needs no escaping then, neither in JSON nor in the log.
    package static func isValid(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The lowest five bits as `0` to `9` or `a` to `v`.
    private static func digit(_ bits: UInt64) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: bits & 31)
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }
}

extension HTTPFields {
    /// The value of X-Request-Id; nil if there is none, or several: nobody could tell which of them the client means.
    var requestID: String? { contains("x-request-id") && !hasSeveral("x-request-id") ? first("x-request-id") : nil }
}
