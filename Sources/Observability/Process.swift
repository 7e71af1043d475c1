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
        if let memory = ProcessMemory.read() {
            text.gauge("process_resident_memory_bytes", "Resident memory.", memory.resident)
        }
        if let limit = FileDescriptorLimit.limit {
            text.gauge("process_max_fds", "Limit on open files.", limit)
        }
        if let count = FileDescriptorLimit.openCount {
            text.gauge("process_open_fds", "Open files and sockets.", count)
        }
        text.gauge(
            "process_start_time_seconds", "Start of the process, in seconds since 1970.",
            Double(startTime) / 1000)
    }

    /// When the process began, in milliseconds since 1970. Without `/proc`, it is the time of the first call.
    private static let startTime: Int = {
        let now = systemTime()
        // Behind the name, which is in brackets, the 20th number has the ticks between the boot and the start.
        guard let status = kernelText(of: "/proc/self/stat"), let name = status.lastIndex(of: ")"),
            let uptime = kernelText(of: "/proc/uptime")?.split(separator: " ").first.flatMap({ Double($0) })
        else { return now }
        let numbers = status[name...].split(separator: " ").dropFirst()
        guard numbers.count > 19, let ticks = Double(numbers[numbers.startIndex + 19]) else { return now }
        let age = uptime - ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
        return now - Int(max(0, age) * 1000)
    }()
}

/// The memory that a process occupies, and the size of its address space, in bytes.
package struct MemoryUse: Sendable, Equatable {
    package var resident: Int
    package var addressSpace: Int

    package init(resident: Int, addressSpace: Int) {
        self.resident = resident
        self.addressSpace = addressSpace
    }
}

/// The memory of this process.
package enum ProcessMemory {
    /// Reads it from the kernel; nil where there is no `/proc`.
    @Sendable package static func read() -> MemoryUse? {
        guard let text = kernelText(of: "/proc/self/statm") else { return nil }
        let pages = text.split(separator: " ").prefix(2).compactMap { Int($0) }
        guard pages.count == 2 else { return nil }
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        return MemoryUse(resident: pages[1] * size, addressSpace: pages[0] * size)
    }
}

/// The limit on open files and sockets of the process.
package enum FileDescriptorLimit {
    /// The current limit; nil if the system does not report it.
    package static var limit: Int? { ResourceLimit.openFiles.value.map { Int(clamping: $0.rlim_cur) } }

    /// How many files and sockets are open; nil where there is no `/proc`.
    static var openCount: Int? {
        var status = stat()
        guard stat("/proc/self/fd", &status) == 0 else { return nil }
        // Linux counts them there since 6.2.
        if status.st_size > 0 { return Int(status.st_size) }
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // The folder itself, `.` and `..`.
        return max(0, count - 3)
    }

    /// Raises the limit to the highest allowed value. Shells and service managers set a low one for programs that use
    /// `select`.
    package static func raiseLimit() {
        guard var limits = ResourceLimit.openFiles.value, limits.rlim_cur < limits.rlim_max else { return }
        limits.rlim_cur = limits.rlim_max
        _ = ResourceLimit.openFiles.set(limits)
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
