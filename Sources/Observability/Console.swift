import Platform

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

/// Standard input, output and error of the process.
package enum StandardDescriptors {
    /// Opens those that whoever started the process had closed, on `/dev/null`, and ignores `SIGPIPE` from now on.
    ///
    /// To be called before anything is opened: the first socket would take a free number, and get the log.
    package static func makeSafe() {
        signal(SIGPIPE, SIG_IGN)
        var opened: Int32 = 0
        while (0...2).contains(opened) {
            opened = open("/dev/null", O_RDWR)
        }
        if opened >= 0 { _ = close(opened) }
    }
}
