#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of this package, wherever the tests run.
enum ProjectFile {
    static func contents(of path: String, from test: String = #filePath) throws -> [UInt8] {
        let root = URL(filePath: test).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return Array(try Data(contentsOf: root.appending(path: path)))
    }
}
