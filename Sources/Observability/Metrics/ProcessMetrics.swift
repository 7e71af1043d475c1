import Platform

/// What the system says of this process, under the names that Prometheus' clients give it.
package enum ProcessMetrics {
    package static func write(into text: inout PrometheusWriter) {
        let used = clock()
        if used >= 0 {
            // POSIX has a million of them a second, whatever the machine.
            text.counter(
                "process_cpu_seconds_total", "Seconds of processor time that the process used.",
                Double(used) / 1_000_000)
        }
        if let pages = residentPages {
            text.gauge("process_resident_memory_bytes", "Resident memory.", pages * Int(sysconf(Int32(_SC_PAGESIZE))))
        }
        if let limit = FileDescriptorLimit.limit {
            text.gauge("process_max_fds", "Files that may be open at once.", limit)
        }
    }

    /// The second number of `/proc/self/statm`; nil where there is no such file.
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

/// How many files and sockets the process may have open.
package enum FileDescriptorLimit {
    /// The limit that holds; nil where the system does not tell.
    package static var limit: Int? { limits.map { Int(clamping: $0.rlim_cur) } }

    /// Raises the limit as far as the system lets the process. Shells and service managers start with a low one for the
    /// sake of programs that could not use more.
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
