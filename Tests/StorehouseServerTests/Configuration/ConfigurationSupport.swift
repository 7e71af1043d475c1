import StorehouseServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files of this package, wherever the tests run.
enum ProjectFile {
    static func contents(of path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: url(of: path)))
    }

    static func text(of path: String) throws -> String { String(decoding: try contents(of: path), as: UTF8.self) }

    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(of: path).path) }

    static func url(of path: String) -> URL {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return root.appending(path: path)
    }
}

extension ConfigurationRoot {
    /// The lines of the error for these sources; none if they are valid.
    static func errors(
        _ defaults: Self = Self(), file: String? = nil, environment: [String: String] = [:],
        flags: [ConfigurationFlag] = []
    ) -> [String] {
        do throws(ConfigurationError) {
            _ = try Self(
                defaults: defaults, file: file.map { Array($0.utf8) }, named: "test.json", environment: environment,
                flags: flags)
            return []
        } catch {
            return error.description.split(separator: "\n").map(String.init)
        }
    }
}
