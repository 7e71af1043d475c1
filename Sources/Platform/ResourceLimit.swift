/// A resource that the system limits for each process.
package enum ResourceLimit {
    case addressSpace
    case coreFile
    case openFiles

    /// The current limit and the highest that the process may set; nil if the system does not tell.
    package var value: rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }

    /// - Returns: false if the system does not allow it.
    package func set(_ value: rlimit) -> Bool {
        var value = value
        return setrlimit(resource, &value) == 0
    }

    #if canImport(Glibc)
        private var resource: __rlimit_resource_t {
            switch self {
            case .addressSpace: __rlimit_resource_t(RLIMIT_AS.rawValue)
            case .coreFile: __rlimit_resource_t(RLIMIT_CORE.rawValue)
            case .openFiles: __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            }
        }
    #else
        private var resource: Int32 {
            switch self {
            case .addressSpace: RLIMIT_AS
            case .coreFile: RLIMIT_CORE
            case .openFiles: RLIMIT_NOFILE
            }
        }
    #endif
}
