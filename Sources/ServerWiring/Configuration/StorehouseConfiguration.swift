package import RemoteServices
package import StorehouseServer

/// The settings of a server, and of the remote services that its kinds declare.
package struct StorehouseConfiguration: Sendable {
    package var server = Configuration()
    /// By the names of the services: an entry for each.
    private var upstreams: [String: UpstreamConfiguration] = [:]
    package private(set) var services: [RemoteService] = []
    /// Whether each service must have a URL or a demo service.
    private var needsUpstreams = true

    /// The default of every setting of a server that calls no services.
    package init() {}

    /// The default of every setting.
    ///
    /// - Parameters:
    ///   - services: the declared services. Several kinds may declare the same one.
    ///   - needsUpstreams: whether a service without a URL and without a demo is an error.
    /// - Throws: what is wrong with the declarations.
    package init(services declared: [RemoteService], needsUpstreams: Bool = true) throws(ConfigurationError) {
        self.needsUpstreams = needsUpstreams
        services = RemoteService.merged(declared)
        for service in services { upstreams[service.name] = UpstreamConfiguration(service) }
        var problems = RemoteService.problems(of: declared)
        if problems.isEmpty { problems = ambiguousKeys }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }

    /// The settings of a service.
    package subscript(upstream name: String) -> UpstreamConfiguration {
        get { upstreams[name] ?? UpstreamConfiguration() }
        set { upstreams[name] = newValue }
    }

    /// Every key, in the order of the file: those of the server, with the remote services at the end of `upstreams`.
    ///
    /// They are made for each use: only the start and a few commands need them, and they take much memory.
    package var keys: [ConfigurationKey<StorehouseConfiguration>] {
        var keys = Configuration.keys.map { ConfigurationKey($0, in: \StorehouseConfiguration.server) }
        let end = keys.lastIndex { $0.path.hasPrefix("upstreams.") }.map { $0 + 1 } ?? keys.endIndex
        keys.insert(contentsOf: services.flatMap { self.keys(of: $0) }, at: end)
        return keys
    }

    /// Keys whose path or variable another key has too.
    private var ambiguousKeys: [ConfigurationProblem] {
        var variables: Set<String> = []
        return keys.filter { key in
            let isNew = variables.insert(key.variable).inserted
            return !isNew || key.mayHoldSecret && !variables.insert(key.fileVariable).inserted
        }.map { key in
            ConfigurationProblem(
                path: key.path, detail: "is declared twice, or has the variable of another key; rename the setting")
        }
    }
}

extension StorehouseConfiguration: Equatable {
    /// Compares the values.
    package static func == (one: StorehouseConfiguration, other: StorehouseConfiguration) -> Bool {
        one.server == other.server && one.upstreams == other.upstreams
    }
}

extension StorehouseConfiguration: ConfigurationRoot {
    package var optionalSections: [String] { Configuration.optionalSections }

    package var notices: [ConfigurationNotice] {
        get { server.notices }
        set { server.notices = newValue }
    }

    package var conflicts: [ConfigurationProblem] {
        server.conflicts + (needsUpstreams ? missingURLs : [])
    }

    /// The services that nothing would answer for.
    private var missingURLs: [ConfigurationProblem] {
        services.compactMap { service in
            let path = "upstreams.\(service.name).url"
            guard self[upstream: service.name].url == nil, !isEmbedded(service),
                let variable = keys.first(where: { $0.path == path })?.variable
            else { return nil }
            let detail =
                service.demo == nil
                ? "is missing, and the service has no demo: set it (\(variable))"
                : "is missing, and upstreams.embedded is false: set it (\(variable)), or upstreams.embedded to true"
            return ConfigurationProblem(path: path, detail: detail)
        }
    }

    /// Whether the server itself answers for a service that has no URL.
    private func isEmbedded(_ service: RemoteService) -> Bool { server.upstreams.embedded && service.demo != nil }

    /// The services for which the server itself must answer.
    var embeddedServices: [RemoteService] {
        services.filter { self[upstream: $0.name].url == nil && isEmbedded($0) }
    }
}

extension RemoteService {
    /// One declaration for each name: with the settings of all, and a demo if one has it.
    fileprivate static func merged(_ declared: [RemoteService]) -> [RemoteService] {
        var merged: [RemoteService] = []
        for service in declared {
            guard let index = merged.firstIndex(where: { $0.name == service.name }) else {
                merged.append(service)
                continue
            }
            let first = merged[index]
            let names = Set(first.settings.map(\.name))
            let source = first.demo == nil ? service : first
            merged[index] = RemoteService(
                service.name, settings: first.settings + service.settings.filter { !names.contains($0.name) },
                demoPath: source.demoPath, demo: source.demo)
        }
        return merged
    }

    /// Names that cannot be keys, and settings that two kinds declare differently.
    fileprivate static func problems(of declared: [RemoteService]) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        var settings: [String: any RemoteService.SettingDeclaration] = [:]
        for service in declared {
            let path = "upstreams.\(service.name)"
            for name in [service.name] + service.settings.map(\.name) where !isKeyName(name) {
                problems.append(
                    ConfigurationProblem(
                        path: path,
                        detail: "'\(name)' cannot be a key; name it with a lower-case letter, then letters and digits"))
            }
            if Configuration.keys.contains(where: { $0.path == path }) {
                problems.append(ConfigurationProblem(path: path, detail: "is a key of the server; rename the service"))
            }
            for setting in service.settings {
                let path = path + "." + setting.name
                if let first = settings[path],
                    first.format != setting.format || first.defaultJSON != setting.defaultJSON
                {
                    problems.append(
                        ConfigurationProblem(path: path, detail: "is declared by two store kinds in different ways"))
                }
                settings[path] = setting
            }
        }
        return problems
    }

    private static func isKeyName(_ name: String) -> Bool {
        name.first.map { ("a"..."z").contains($0) } == true
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
    }
}
