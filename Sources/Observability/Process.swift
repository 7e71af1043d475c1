import Platform

/// Metrics of this process, with the names of the Prometheus client libraries.
package enum ProcessMetrics {
    package static func write(into text: inout PrometheusWriter) {
        let used = clock()
        if used >= 0 {
            // POSIX defines CLOCKS_PER_SEC as one million.
            text.counter(
                "process_cpu_seconds_total", "Processor time of the process in seconds.",
                Double(used) / 1_000_000)
        }
        if let pages = residentPages {
            text.gauge("process_resident_memory_bytes", "Resident memory.", pages * Int(sysconf(Int32(_SC_PAGESIZE))))
        }
        if let limit = FileDescriptorLimit.limit {
            text.gauge("process_max_fds", "Limit on open files.", limit)
        }
    }

    /// The second number of `/proc/self/statm`; nil if there is no such file.
    private static var residentPages: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let words = buffer.prefix(count).split(separator: UInt8(ascii: " "))
        return words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) : nil
    }
}

/// The limit on open files and sockets of the process.
package enum FileDescriptorLimit {
    /// The current limit; nil if the system does not report it.
    package static var limit: Int? { limits.map { Int(clamping: $0.rlim_cur) } }

    /// Raises the limit to the highest allowed value. Shells and service managers set a low one for programs that use
    /// `select`.
    package static func raiseLimit() {
        guard var limits, limits.rlim_cur < limits.rlim_max else { return }
        limits.rlim_cur = limits.rlim_max
        _ = setrlimit(resource, &limits)
    }

    private static var limits: rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}

/// The output of a command line program.
package enum Console {
    /// - Returns: false if nobody reads the output any more.
    @discardableResult
    package static func print(_ text: String) -> Bool { output(text, on: STDOUT_FILENO) }

    package static func printError(_ text: String) { _ = output(text, on: STDERR_FILENO) }

    private static func output(_ text: String, on descriptor: Int32) -> Bool {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 && errno != EINTR { return false }
            bytes = bytes.dropFirst(max(count, 0))
        }
        return true
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
