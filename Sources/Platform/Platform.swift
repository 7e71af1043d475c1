// Re-exports the platform's C library, so that other files need no conditional imports.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Darwin)
    @_exported public import Darwin
#endif

/// Starts a thread that runs `body`.
///
/// - Returns: whether the system had a thread left.
package func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    let context = Unmanaged.passRetained(ThreadBody(run: body)).toOpaque()
    #if canImport(Darwin)
        var thread: pthread_t?
        let code = pthread_create(&thread, nil, { ThreadBody.run($0) }, context)
        let started = thread
    #else
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { ThreadBody.run($0) }, context)
        let started: pthread_t? = thread
    #endif
    guard code == 0, let started else {
        Unmanaged<ThreadBody>.fromOpaque(context).release()
        return false
    }
    pthread_detach(started)
    return true
}

/// Lets other threads of the process run first. It is little, so that other processes do not keep the thread from running.
package func lowerThreadPriority() {
    #if canImport(Glibc)
        // Linux takes 0 for the calling thread.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 4)
    #endif
}

private final class ThreadBody {
    private let body: @Sendable () -> Void

    init(run body: @escaping @Sendable () -> Void) { self.body = body }

    static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().body() }
        return nil
    }
}

/// The text of a file that the kernel makes when it is read, such as one in `/proc`; nil if it cannot be read. Such a file has
/// no size, so this reads 4096 bytes at most.
package func kernelText(of path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
}
