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
            guard var limits = ResourceLimit.coreFile.value, limits.rlim_cur > 0 else { return }
            let before = limits.rlim_cur
            limits.rlim_cur = 0
            if ResourceLimit.coreFile.set(limits) { original = original ?? before }
        }
    }

    /// From here on the limit counts with which the process has begun.
    package static func allow() {
        original.withLock { original in
            guard var limits = ResourceLimit.coreFile.value, let before = original else { return }
            limits.rlim_cur = before
            if ResourceLimit.coreFile.set(limits) { original = nil }
        }
    }
}
