#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a command line program prints.
package enum Console {
    package static func print(_ text: String) { put(text, on: STDOUT_FILENO) }

    package static func printError(_ text: String) { put(text, on: STDERR_FILENO) }

    private static func put(_ text: String, on descriptor: Int32) {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 && errno != EINTR { return }
            bytes = bytes.dropFirst(max(count, 0))
        }
    }
}
