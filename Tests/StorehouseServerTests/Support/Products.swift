import Foundation

/// The programs that were built with the tests.
enum Products {
    /// Where they are: beside the tests.
    static var directory: URL? {
        #if canImport(Darwin)
            Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL.deletingLastPathComponent()
        #else
            Bundle.main.executableURL?.deletingLastPathComponent()
        #endif
    }
}
