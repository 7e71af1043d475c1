package import JSON
import RemoteServices
package import StorehouseServer

/// How to call one remote service.
package struct UpstreamConfiguration: Sendable, Hashable {
    /// http or https, with a host and without user info; nil for the demo service.
    package var url: String?
    /// Sent with each call. Names differ in more than case.
    package var headers: [String: Secret] = [:]
    /// The deadline of a whole call with its retries.
    package var timeout = Duration.seconds(5)
    package var retries = 2
    package var maxConcurrent = 256
    /// The number of calls that may wait beyond `maxConcurrent`; nil for four times `maxConcurrent`.
    package var maxWaiting: Int?
    package var maxBodyBytes = 65536
    package var maxHeaderBytes = 65536
    package var lowSpeed = LowSpeed()
    /// A file of certificates that replaces those of the system.
    package var caFile: String?
    /// A file with the client's certificate.
    package var clientCertificate: String?
    /// A file with the key of the client's certificate; nil if that file contains it.
    package var clientKey: String?
    package var clientKeyPassword: Secret?
    /// Refuses addresses that are not on the public Internet. The demo service can always be called.
    package var denyPrivate = false
    package var breaker = Breaker()
    /// The values of the settings that the service itself declares.
    package var own = OwnSettings()
}

extension UpstreamConfiguration {
    /// When to give up a response that has begun.
    package struct LowSpeed: Sendable, Hashable {
        /// The lowest speed in bytes per second; 0 for no limit.
        package var bytes = 16
        /// How long the response may be slower.
        package var time = Duration.seconds(10)
    }

    /// When to stop calling a service that fails.
    package struct Breaker: Sendable, Hashable {
        /// The number of failures in a row that opens the circuit.
        package var failures = 10
        /// How long the circuit stays open before one call is let through.
        package var cooldown = Duration.seconds(5)
    }

    /// The values of the settings that a service declares, as JSON. They are never shown, because some are secret.
    package struct OwnSettings: Sendable, Hashable {
        package var values: [String: JSONValue] = [:]

        package subscript(name: String) -> JSONValue {
            get { values[name] ?? .null }
            set { values[name] = newValue }
        }
    }
}

extension UpstreamConfiguration.OwnSettings: CustomReflectable, CustomStringConvertible {
    package var description: String { values.keys.sorted().joined(separator: ", ") }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension UpstreamConfiguration {
    /// The defaults of a service.
    init(_ service: RemoteService) {
        for setting in service.settings { own[setting.name] = setting.defaultJSON }
    }
}

extension StorehouseConfiguration {
    /// The keys of a service: those that every service has, and its own.
    func keys(of service: RemoteService) -> [ConfigurationKey<StorehouseConfiguration>] {
        let upstream: any WritableKeyPath<Self, UpstreamConfiguration> & Sendable = \.[upstream: service.name]
        return EndpointKeys(service: service, upstream: upstream, defaults: self).all
            + service.settings.map { setting in
                let path = "upstreams.\(service.name).\(setting.name)"
                let own: any WritableKeyPath<UpstreamConfiguration, JSONValue> & Sendable = \.own[setting.name]
                return ConfigurationKey(
                    path, in: upstream, own, setting.format.values, setting.summary, defaults: self)
            }
    }
}

/// The keys that every service has.
private struct EndpointKeys {
    typealias Key = ConfigurationKey<StorehouseConfiguration>

    let service: RemoteService
    let upstream: any WritableKeyPath<StorehouseConfiguration, UpstreamConfiguration> & Sendable
    let defaults: StorehouseConfiguration

    var all: [Key] { calls + responses + trust + breaker }

    private var path: String { "upstreams.\(service.name)." }

    private func key<Value>(
        _ name: String, _ member: any WritableKeyPath<UpstreamConfiguration, Value> & Sendable,
        _ format: ValueFormat<Value>, _ summary: String
    ) -> Key {
        ConfigurationKey(path + name, in: upstream, member, format, summary, defaults: defaults)
    }

    private var calls: [Key] {
        let withoutURL = service.demo == nil ? "required" : "without one the embedded service answers"
        return [
            key(
                "url", \.url, ValueFormat.url(headers: path + "headers").orNull(),
                "the complete URL of the \(service.name) service; \(withoutURL)"),
            key(
                "headers", \.headers, .headers,
                "sent with each call; values are secret (in the environment: `Name: value`, separated by commas)"),
            key(
                "timeout", \.timeout, .seconds(milliseconds: 1...3_600_000),
                "the deadline of a whole call with its retries"),
            key(
                "retries", \.retries, .integer(0...100),
                "the largest number of retries of a failed call"),
            key(
                "maxConcurrent", \.maxConcurrent, .integer(1...65536),
                "the largest number of calls under way"),
            key(
                "maxWaiting", \.maxWaiting, ValueFormat.integer(0...1_000_000).orNull(),
                "the largest number of calls that wait for their turn; null is four times `maxConcurrent`"),
        ]
    }

    private var responses: [Key] {
        [
            key(
                "maxBodyBytes", \.maxBodyBytes, .integer(1...1 << 30),
                "the largest body of a response"),
            key(
                "maxHeaderBytes", \.maxHeaderBytes, .integer(1024...1 << 20),
                "the largest header section of a response"),
            key(
                "lowSpeed.bytes", \.lowSpeed.bytes, .integer(0...1 << 30),
                "the lowest speed of a response in bytes per second; 0 is no limit"),
            key(
                "lowSpeed.time", \.lowSpeed.time, .seconds(milliseconds: 1...3_600_000),
                "how long a response may be slower than `lowSpeed.bytes` before it is given up"),
        ]
    }

    private var trust: [Key] {
        [
            key(
                "caFile", \.caFile, ValueFormat.text("a path", 1...4096).orNull(),
                "a file of trusted certificates (PEM); null is those of the system"),
            key(
                "clientCertificate", \.clientCertificate,
                ValueFormat.text("a path", 1...4096).orNull(), "a file with the client's certificate (PEM)"),
            key(
                "clientKey", \.clientKey, ValueFormat.text("a path", 1...4096).orNull(),
                "a file with the key of the client's certificate (PEM); null if the certificate's file contains it"),
            key(
                "clientKeyPassword", \.clientKeyPassword,
                ValueFormat.secret(atLeast: 1).orNull(), "the password of an encrypted client key"),
            key(
                "denyPrivate", \.denyPrivate, .boolean,
                "refuse addresses that are not on the public Internet, also after a redirect"),
        ]
    }

    private var breaker: [Key] {
        [
            key(
                "breaker.failures", \.breaker.failures, .integer(1...1_000_000),
                "the number of failures in a row that opens the circuit"),
            key(
                "breaker.cooldown", \.breaker.cooldown,
                .seconds(milliseconds: 1...86_400_000), "how long the circuit stays open before one call is let through"
            ),
        ]
    }
}

extension RemoteService.SettingFormat {
    /// How the values of such a setting are read and written.
    fileprivate var values: ValueFormat<JSONValue> {
        switch self {
        case .text: ValueFormat.text("a text of 1 to 256 characters", 1...256).asJSON
        case .choice(let words): ValueFormat.word(of: words).asJSON
        case .statuses(let range):
            ValueFormat.integer(range)
                .list("a list of statuses from \(range.lowerBound) to \(range.upperBound)").asJSON
        case .secrets: ValueFormat<[String: Secret]>.fields.asJSON
        case .pointer(isOptional: false): ValueFormat.pointer.asJSON
        case .pointer(isOptional: true): ValueFormat.pointer.orNull().asJSON
        }
    }
}
