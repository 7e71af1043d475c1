#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

/// How many files and sockets the process may have open.
package enum OpenFiles {
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
