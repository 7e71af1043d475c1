import Curl
import Platform

/// How to call one remote service.
package struct UpstreamSettings: Sendable, Hashable {
    /// The name in errors, log lines and metrics.
    package var name: String
    /// An absolute `http` or `https` URL.
    package var url: String
    /// Fields of every request to the origin of `url`. No other origin gets them, because they may contain credentials.
    package var headers: [String: String]
    /// The longest time from the call to the complete response, with queueing, name resolution, redirects and retries.
    package var timeout: Duration = .seconds(5)
    /// The largest number of retries of one call.
    package var retries = 2
    /// The largest number of calls under way.
    package var maxConcurrent = 256
    /// The largest number of calls that wait for their turn; nil for four times `maxConcurrent`.
    package var maxWaiting: Int?
    /// The largest body of a response in bytes, after decompression.
    package var maxBodyBytes = 1_048_576
    /// The largest header section of a response in bytes.
    package var maxHeaderBytes = 65_536
    /// The number of failed calls in a row that opens the circuit; 0 for never.
    package var breakerFailures = 10
    /// How long an open circuit refuses calls.
    package var breakerCooldown: Duration = .seconds(5)
    /// The URL of a proxy; nil for none. The environment's proxies are ignored.
    package var proxy: String?
    /// A file of trusted certificates (PEM) that replaces those of the system.
    package var caFile: String?
    /// A file with the client's certificate (PEM) and its intermediate certificates.
    package var clientCertificate: String?
    /// A file with the key (PEM) of the client's certificate; nil if that file contains it.
    package var clientKey: String?
    /// The password of an encrypted key.
    package var clientKeyPassword: String?
    /// A response that has begun and is slower than this for `lowSpeedTime` is given up. In bytes per second; 0 for no limit.
    package var lowSpeedBytes = 16
    /// The time over which the speed of a response is measured.
    package var lowSpeedTime: Duration = .seconds(10)
    /// Refuses addresses that are not public, also after a redirect.
    package var denyPrivate = false
    /// Follows redirects to other origins. A key set must come from its own.
    package var followsToOtherOrigins = true

    package init(name: String, url: String, headers: [String: String] = [:]) {
        self.name = name
        self.url = url
        self.headers = headers
    }

    var waitingLimit: Int {
        if let maxWaiting { return max(maxWaiting, 0) }
        let (limit, overflow) = max(maxConcurrent, 1).multipliedReportingOverflow(by: 4)
        return overflow ? .max : limit
    }
}

extension UpstreamSettings {
    /// Checks the settings, and returns the parsed URL.
    func address() throws(UpstreamConfigurationError) -> HTTPURL {
        guard let address = HTTPURL(url) else { throw .url }
        for (name, value) in headers where FieldLine.isFraming(name) || FieldLine.line(name, value) == nil {
            throw .header(name: name)
        }
        let files = [
            (caFile, "certificates to trust"), (clientCertificate, "client certificate"), (clientKey, "client key"),
        ]
        for (path, purpose) in files {
            if let path, access(path, R_OK) != 0 { throw .file(path, purpose: purpose) }
        }
        return address
    }
}

/// An error in the settings of a remote service.
package enum UpstreamConfigurationError: Error, Hashable, CustomStringConvertible {
    /// Not an absolute `http` or `https` URL.
    case url
    /// A header that is not a field of RFC 9110, or one of the message's framing.
    case header(name: String)
    /// A file that cannot be read.
    case file(String, purpose: String)

    package var description: String {
        switch self {
        case .url: "the URL must be absolute, with the scheme http or https"
        case .header(let name): "the header \"\(name)\" cannot be sent"
        case .file(let path, let purpose): "the file \(path) with the \(purpose) cannot be read"
        }
    }
}
