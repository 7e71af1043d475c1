#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Configuration {
    /// The file that is read where none is named, if it is there; seen from the working directory.
    public static let defaultFile = "config/storehouse.json"

    /// Reads the file, then the environment; the later wins.
    ///
    /// - Parameters:
    ///   - file: must be there. Without one `config/storehouse.json` is read if it is there.
    ///   - environment: what begins with `STOREHOUSE_` counts; nil is the environment of the process.
    /// - Throws: everything that is wrong, at once.
    public static func load(
        file: String? = nil, environment: [String: String]? = nil
    ) throws(ConfigurationError) -> Configuration {
        try load(file: file, environment: environment, flags: [])
    }

    /// The same, with flags over all.
    package static func load(
        file: String?, environment: [String: String]? = nil, flags: [ConfigurationFlag]
    ) throws(ConfigurationError) -> Configuration {
        var reader = ConfigurationReader()
        let name = file ?? defaultFile
        do throws(FileError) {
            reader.read(file: try FileContents.contents(of: name, atMost: 1 << 20), named: name)
        } catch {
            let isFine = file == nil && error == .missing
            if !isFine { reader.report(unreadable: name, error) }
        }
        return try reader.finish(environment: environment ?? ProcessInfo.processInfo.environment, flags: flags)
    }

    /// What the bytes of a file, the environment and flags make together.
    package init(
        file: [UInt8]? = nil, named name: String = defaultFile, environment: [String: String] = [:],
        flags: [ConfigurationFlag] = []
    ) throws(ConfigurationError) {
        var reader = ConfigurationReader()
        if let file { reader.read(file: file, named: name) }
        self = try reader.finish(environment: environment, flags: flags)
    }
}
