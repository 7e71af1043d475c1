package import ServerWiring
package import StoreHosting
import StorehouseServer

/// The text with which a server that listens greets whoever has started it in a terminal.
package struct Greeting {
    private let program: String
    private let url: String
    private let configuration: Configuration
    /// The kind of the examples, if the program hosts it.
    private let kind: StoreKind?

    /// - Parameters:
    ///   - program: how the program was called, as the same shell can call it again.
    ///   - url: where the server listens.
    ///   - kinds: those that it hosts.
    package init(program: String, url: String, _ configuration: StorehouseConfiguration, kinds: [StoreKind]) {
        self.program = Self.quoted(program)
        // Clients on this machine reach every address of it by this one.
        self.url = url.replacing("//0.0.0.0:", with: "//127.0.0.1:").replacing("//[::]:", with: "//[::1]:")
        self.configuration = configuration.server
        kind = kinds.first { $0.name == SampleKind().name }
    }

    package var text: String {
        let rows = [
            ("Storage", storage), ("Inspector", inspector), ("API", "\(url)/openapi.json"), ("Try", command),
        ]
        let lines = rows.map { name, text in "  \(name.padded(to: 11))\(text)" }
        return (["", "Storehouse \(StorehouseVersion.current)", ""] + lines + ["", "Ctrl-C ends it.", ""])
            .joined(separator: "\n")
    }

    /// The storage, and what it means for the data.
    private var storage: String {
        let settings = configuration.storage
        let isFull = settings.durability == .full
        return switch settings.kind {
        case .memory:
            "memory: all data is gone when the process ends; --set storage.kind=sqlite keeps it in a file"
        case .sqlite where isFull: "SQLite file \(settings.path): what is acknowledged outlives a power failure"
        case .sqlite: "SQLite file \(settings.path): a power failure may take the last changes (storage.durability)"
        case .redis where isFull: "Redis, shared by all nodes: what is acknowledged outlives this process and Redis"
        case .redis: "Redis, shared by all nodes: a failure of Redis may take the last changes (storage.durability)"
        }
    }

    private var inspector: String {
        configuration.inspector.enabled ? url + "/" : "off; --set inspector.enabled=true switches it on"
    }

    /// A command that works as it stands here.
    private var command: String {
        let hosts = configuration.http.allowedHosts
        let host = hosts.contains("*") ? nil : hosts.first
        // Without a token, and with another name of the server, there is no more to see.
        guard configuration.access.mode == .capability, host == nil else {
            return "curl \(host.map { "-H \(Self.quoted("Host: \($0)")) " } ?? "")\(url)/healthz"
        }
        let sample = SampleKind()
        let type = sample.action.prefix { $0 != " " }
        // The state of another kind may refuse an action.
        guard let kind, kind.actions.contains(where: { $0.type == type }) else {
            return "curl -X POST \(url)/sessions"
        }
        return "\(program) send \(url) \(sample.action) --store \(kind.name)"
    }

    /// The word as a shell reads it.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+:@%".contains($0)) }
        return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
