#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

/// Standard input, output and error of the process.
package enum StandardDescriptors {
    /// Opens those that whoever started the process had closed, on `/dev/null`, and ignores `SIGPIPE` from now on.
    ///
    /// To be called before anything is opened: the first socket would take a free number, and get the log.
    package static func makeSafe() {
        signal(SIGPIPE, SIG_IGN)
        var opened: Int32 = 0
        while (0...2).contains(opened) {
            opened = open("/dev/null", O_RDWR)
        }
        if opened >= 0 { _ = close(opened) }
    }
}
