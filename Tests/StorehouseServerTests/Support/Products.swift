import Foundation

/// The programs that were built with the tests.
enum Products {
    /// Where they are: beside the tests, unless the variable TEST_PROGRAMS names a folder with others, such as released ones.
    static var directory: URL? {
        if let folder = ProcessInfo.processInfo.environment["TEST_PROGRAMS"] {
            return URL(filePath: folder, directoryHint: .isDirectory)
        }
        #if canImport(Darwin)
            return Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
                .deletingLastPathComponent()
        #else
            return Bundle.main.executableURL?.deletingLastPathComponent()
        #endif
    }
}
