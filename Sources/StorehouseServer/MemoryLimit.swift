import Locks
import Platform
import Synchronization

#if os(Linux)
    import CLinux
#endif

/// Decides whether the server may take more memory. A pure value.
///
/// It refuses from the limit on, until the memory in use is a twentieth below it, so that it does not change its mind with
/// every reading.
package struct MemoryGauge: Sendable {
    /// What the process uses, in bytes.
    package struct Reading: Sendable, Equatable {
        package var resident: Int
        package var addressSpace: Int

        package init(resident: Int, addressSpace: Int) {
            self.resident = resident
            self.addressSpace = addressSpace
        }
    }

    private let limit: Reading
    private var latest = Reading(resident: 0, addressSpace: 0)
    package private(set) var isExhausted = false

    package var isLimited: Bool { limit.resident < .max || limit.addressSpace < .max }

    /// - Parameter limit: what the process may use; `Int.max` for as much as there is.
    package init(limit: Reading) { self.limit = limit }

    package mutating func update(_ reading: Reading) {
        latest = reading
        isExhausted = isBeyond(limit) || isExhausted && isBeyond(Reading(limit, 0.95))
    }

    /// Whether so many further bytes fit, as far as the latest reading tells.
    package func admits(_ bytes: Int) -> Bool {
        !isExhausted && latest.resident <= limit.resident - bytes && latest.addressSpace <= limit.addressSpace - bytes
    }

    private func isBeyond(_ limit: Reading) -> Bool {
        latest.resident >= limit.resident || latest.addressSpace >= limit.addressSpace
    }
}

extension MemoryGauge.Reading {
    /// A part of what the system allows.
    fileprivate init(_ whole: Self, _ part: Double) {
        self.init(resident: Self.part(whole.resident, part), addressSpace: Self.part(whole.addressSpace, part))
    }

    fileprivate static func part(_ bytes: Int, _ part: Double) -> Int {
        bytes == .max ? .max : Int(Double(bytes) * part)
    }
}

/// The memory limit of a server. Any thread may ask it.
package final class MemoryLimit: Sendable {
    private let gauge: Locked<MemoryGauge>
    private let read: @Sendable () -> MemoryGauge.Reading?
    // What every action asks, without the lock of the gauge.
    private let exhausted = Atomic(false)

    /// - Parameters:
    ///   - limit: in bytes.
    ///   - read: reads what the process uses; nil if that is unknown.
    package init(
        _ limit: MemoryGauge.Reading, read: @escaping @Sendable () -> MemoryGauge.Reading? = ProcessMemory.read
    ) {
        gauge = Locked(MemoryGauge(limit: limit))
        self.read = read
    }

    /// Whether there is a limit at all.
    var isLimited: Bool { gauge.withLock(\.isLimited) }

    var isExhausted: Bool { exhausted.load(ordering: .relaxed) }

    /// Reads again what the process uses. This takes microseconds.
    package func update() {
        guard let reading = read() else { return }
        let isExhausted = gauge.withLock { gauge in
            gauge.update(reading)
            return gauge.isExhausted
        }
        exhausted.store(isExhausted, ordering: .relaxed)
        // What was freed counts until the allocator returns it to the system.
        if isExhausted { ProcessMemory.releaseFree() }
    }

    /// Requires that the server may grow.
    func requireRoom() throws(Problem) {
        if isExhausted { throw Self.problem }
    }

    /// Requires that so many further bytes fit now.
    func requireRoom(for bytes: Int) throws(Problem) {
        update()
        guard gauge.withLock({ $0.admits(bytes) }) else { throw Self.problem }
    }

    private static var problem: Problem {
        Problem(
            .overloaded, "The server has no memory left for more; nothing was committed. Delete sessions, or try later."
        )
    }
}

/// The memory of this process.
package enum ProcessMemory {
    /// Reads it from the kernel; nil where there is no `/proc`.
    @Sendable package static func read() -> MemoryGauge.Reading? {
        guard let text = text(of: "/proc/self/statm") else { return nil }
        let pages = text.split(separator: " ").prefix(2).compactMap { Int($0) }
        guard pages.count == 2 else { return nil }
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        return .init(resident: pages[1] * size, addressSpace: pages[0] * size)
    }

    /// What the process may use: the configured limit, or less than the limits of the control group, so that the process is
    /// not killed; and less than its limit on address space.
    ///
    /// - Parameter configured: bytes; 0 for the limit of the control group.
    package static func limit(configured: Int) -> MemoryGauge.Reading {
        let group = controlGroupLimit(read: text) ?? .max
        var space = rlimit()
        #if os(Linux)
            let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &space) == 0
        #else
            let isKnown = false
        #endif
        let spaceLimit = isKnown && space.rlim_cur < 1 << 62 ? Int(space.rlim_cur) : .max
        return .init(
            resident: configured > 0 ? configured : MemoryGauge.Reading.part(group, 0.85),
            addressSpace: MemoryGauge.Reading.part(spaceLimit, 0.75))
    }

    /// The smallest memory limit of the control group and those around it; nil without any.
    ///
    /// - Parameter read: the text of a file; nil if there is none.
    package static func controlGroupLimit(read: (String) -> String?) -> Int? {
        var limits: [Int] = []
        for line in (read("/proc/self/cgroup") ?? "").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isUnified = parts[0] == "0"
            guard isUnified || parts[1].split(separator: ",").contains("memory") else { continue }
            let root = isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
            let name = isUnified ? "/memory.max" : "/memory.limit_in_bytes"
            var path = parts[2].split(separator: "/")
            while true {
                let group = path.reduce(root) { "\($0)/\($1)" }
                if let limit = read(group + name)?.split(separator: "\n").first.flatMap({ Int($0) }), limit < 1 << 62 {
                    limits.append(limit)
                }
                if path.popLast() == nil { break }
            }
        }
        return limits.min()
    }

    static func releaseFree() {
        #if canImport(Glibc)
            malloc_trim(0)
        #endif
    }

    /// A file of the kernel, which has no size.
    private static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Platform.read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
