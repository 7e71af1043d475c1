import Platform

/// The output of a command line program.
package enum Console {
    package static func print(_ text: String) { output(text, on: STDOUT_FILENO) }

    package static func printError(_ text: String) { output(text, on: STDERR_FILENO) }

    private static func output(_ text: String, on descriptor: Int32) {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 && errno != EINTR { return }
            bytes = bytes.dropFirst(max(count, 0))
        }
    }
}

/// Standard input, output and error of the process.
package enum StandardDescriptors {
    /// Opens the closed ones on `/dev/null`, and ignores SIGPIPE from here on.
    ///
    /// Call it before anything is opened. Otherwise the first socket could get the number 2, and the log with it.
    package static func makeSafe() {
        signal(SIGPIPE, SIG_IGN)
        var opened: Int32 = 0
        while (0...2).contains(opened) {
            opened = open("/dev/null", O_RDWR)
        }
        if opened >= 0 { _ = close(opened) }
    }
}
