// The C library's `environ` is a variable, so a strict import would refuse it.
#if canImport(Glibc)
    @preconcurrency import Glibc
#elseif canImport(Musl)
    @preconcurrency import Musl
#else
    import Foundation
#endif

/// The environment variables of the process. Of several with the same name the first counts. Nothing may change the
/// environment meanwhile.
package func environmentVariables() -> [String: String] {
    #if canImport(Darwin)
        return ProcessInfo.processInfo.environment
    #else
        // Foundation would be linked into the program for this alone, with two megabytes of code.
        var variables: [String: String] = [:]
        var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
        while let place = next, let entry = place.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, variables[String(parts[0])] == nil { variables[String(parts[0])] = String(parts[1]) }
            next = place + 1
        }
        return variables
    #endif
}
