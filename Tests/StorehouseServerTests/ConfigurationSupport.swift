import StorehouseServer

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

extension Configuration {
    /// What is said about settings that are wrong, a line each; nothing about settings that are right.
    static func complaints(
        file: String? = nil, environment: [String: String] = [:], flags: [ConfigurationFlag] = []
    ) -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration(
                file: file.map { Array($0.utf8) }, named: "test.json", environment: environment, flags: flags)
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }
}
