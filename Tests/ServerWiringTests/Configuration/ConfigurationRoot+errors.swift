import StorehouseServer

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
