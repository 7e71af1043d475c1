import Locks
package import Observability
import Platform
import Synchronization

#if os(Linux)
    import CPlatform
#endif

extension MemoryUse {
    fileprivate func reaches(_ limit: MemoryUse) -> Bool {
        resident >= limit.resident || addressSpace >= limit.addressSpace
    }

    fileprivate func scaled(by factor: Double) -> MemoryUse {
        MemoryUse(resident: Self.scaled(resident, factor), addressSpace: Self.scaled(addressSpace, factor))
    }

    fileprivate static func scaled(_ bytes: Int, _ factor: Double) -> Int {
        bytes == .max ? .max : Int(Double(bytes) * factor)
    }
}

/// Decides whether the server may take more memory.
///
/// It refuses what can take much from the limit on, until the memory in use is a twentieth below it, so that it does not
/// change its mind with every reading. Small actions have a reserve, an eighth of the limit: without it, a client that takes
/// all the memory would stop the work of all others.
package struct MemoryGauge: Sendable {
    private let limit: MemoryUse
    package private(set) var isExhausted = false
    /// Whether the reserve for small actions is used up too. It is free again from the limit on.
    package private(set) var isReserveExhausted = false

    package var isLimited: Bool { limit.resident < .max || limit.addressSpace < .max }

    /// - Parameter limit: what the process may use; `Int.max` for as much as there is.
    package init(limit: MemoryUse) { self.limit = limit }

    package mutating func update(_ use: MemoryUse) {
        isExhausted = use.reaches(limit) || isExhausted && use.reaches(limit.scaled(by: 0.95))
        isReserveExhausted = use.reaches(limit.scaled(by: 1.125)) || isReserveExhausted && use.reaches(limit)
    }

    /// Whether so many further bytes fit.
    package func admits(_ bytes: Int, beyond use: MemoryUse) -> Bool {
        !isExhausted && use.resident <= limit.resident - bytes && use.addressSpace <= limit.addressSpace - bytes
    }
}

/// The memory limit of a server. Any thread may ask it.
package final class MemoryLimit: Sendable {
    private let limit: MemoryUse
    private let gauge: Locked<MemoryGauge>
    private let read: @Sendable () -> MemoryUse?
    // Every action reads these, without the lock of the gauge.
    private let exhausted = Atomic(false)
    private let reserveExhausted = Atomic(false)
    /// Whether there is a limit at all.
    package let isLimited: Bool

    /// - Parameters:
    ///   - limit: in bytes.
    ///   - read: reads what the process uses; nil if that is unknown.
    package init(_ limit: MemoryUse, read: @escaping @Sendable () -> MemoryUse? = ProcessMemory.read) {
        let gauge = MemoryGauge(limit: limit)
        isLimited = gauge.isLimited
        self.limit = limit
        self.gauge = Locked(gauge)
        self.read = read
    }

    /// How many bytes may wait in buffers for clients, as configured, but no more than a quarter of the limit: what comes in and what
    /// goes out leave half of it for everything else.
    package func bufferLimit(_ configured: Int) -> Int { min(configured, limit.resident / 4) }

    package var isExhausted: Bool { exhausted.load(ordering: .relaxed) }

    /// Decides by what the process uses now whether the limit is reached. One timer calls this, and nothing else changes
    /// the decision, so that the timer sees every change.
    package func update() {
        guard let use = read() else { return }
        let (isExhausted, isReserveExhausted) = gauge.withLock { gauge in
            gauge.update(use)
            return (gauge.isExhausted, gauge.isReserveExhausted)
        }
        exhausted.store(isExhausted, ordering: .relaxed)
        reserveExhausted.store(isReserveExhausted, ordering: .relaxed)
        // Freed memory counts until the allocator returns it to the system, which can take it milliseconds.
        if isExhausted { ProcessMemory.releaseFree() }
    }

    /// Requires that the server may grow.
    package func requireRoom() throws(SessionFailure) {
        if isExhausted { throw Self.failure }
    }

    /// The largest body, in bytes, of an action that uses the reserve.
    private static let smallAction = 1024

    /// Whether the server may grow by a body of so many bytes.
    package func hasRoom(forBodyOf bytes: Int) -> Bool {
        !isExhausted || bytes <= Self.smallAction && !reserveExhausted.load(ordering: .relaxed)
    }

    /// Requires that the server may grow by an action with a body of so many bytes, on a session that is not large.
    package func requireRoom(forBodyOf bytes: Int) throws(SessionFailure) {
        if !hasRoom(forBodyOf: bytes) { throw Self.failure }
    }

    /// Requires that so many further bytes fit now. This reads what the process uses, which takes microseconds.
    package func requireRoom(for bytes: Int) throws(SessionFailure) {
        guard isLimited, let use = read() else { return }
        guard gauge.withLock({ $0.admits(bytes, beyond: use) }) else { throw Self.failure }
    }

    private static var failure: SessionFailure { .unavailable(.memory(retryAfter: retryAfter)) }

    /// In seconds. Memory becomes free when sessions end, which takes longer than the second of other overloads.
    private static var retryAfter: Int { 30 }
}

extension ProcessMemory {
    /// The memory that the process may use: the configured limit, or less than the limits of the control group, so that the process is
    /// not killed; and less than its limit on address space.
    ///
    /// - Parameter configured: bytes; 0 for the limit of the control group.
    package static func limit(configured: Int) -> MemoryUse {
        let group = controlGroupLimit(read: kernelText) ?? .max
        return MemoryUse(
            resident: configured > 0 ? configured : MemoryUse.scaled(group, 0.85),
            addressSpace: MemoryUse.scaled(addressSpaceLimit, 0.75))
    }

    /// The limit on address space of the process; `Int.max` without one.
    private static var addressSpaceLimit: Int {
        #if os(Linux)
            guard let limit = ResourceLimit.addressSpace.value, limit.rlim_cur < 1 << 62 else { return .max }
            return Int(limit.rlim_cur)
        #else
            return .max
        #endif
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

    /// Lets the threads share their heaps if the address space is limited, since each heap of glibc reserves 64 MB of it. Call
    /// this before the first thread starts.
    package static func limitHeapsIfLimited() {
        #if canImport(Glibc)
            if addressSpaceLimit < .max { mallopt(M_ARENA_MAX, 2) }
        #endif
    }

    package static func releaseFree() {
        #if canImport(Glibc)
            malloc_trim(0)
        #endif
    }
}
