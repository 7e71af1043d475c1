import Locks
import Platform

/// Core files, which hold the whole memory of a process: its keys, and passwords of clients.
///
/// Only the soft limit changes, so ``allow()`` can take it back. The process stays dumpable otherwise: a debugger, the
/// backtraces of Swift and `/proc/self` depend on that.
package enum CoreDumps {
    /// The limit that the process has begun with; nil as long as it counts.
    private static let original: Locked<rlim_t?> = Locked(nil)

    /// From here on no core file is written, also if the kernel passes it to a program that looks at the limit.
    package static func prevent() {
        original.withLock { original in
            guard var limits, limits.rlim_cur > 0 else { return }
            let before = limits.rlim_cur
            limits.rlim_cur = 0
            if setrlimit(resource, &limits) == 0 { original = original ?? before }
        }
    }

    /// From here on the limit counts with which the process has begun.
    package static func allow() {
        original.withLock { original in
            guard var limits, let before = original else { return }
            limits.rlim_cur = before
            if setrlimit(resource, &limits) == 0 { original = nil }
        }
    }

    private static var limits: rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #else
        private static let resource = RLIMIT_CORE
    #endif
}
