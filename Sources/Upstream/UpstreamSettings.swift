import HTTP
import Platform
import Stores

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

/// An absolute `http` or `https` URL.
package struct HTTPURL: Sendable, Hashable {
    /// Credentials are only sent to the same origin (RFC 6454).
    package struct Origin: Sendable, Hashable {
        package let scheme: String
        /// In lower case.
        package let host: String
        package let port: Int
    }

    package let text: String
    package let origin: Origin

    /// - Returns: nil for anything but an absolute `http` or `https` URL.
    package init?(_ text: String) {
        guard let url = URLParts(text), url.isWeb else { return nil }
        self.text = text
        origin = Origin(
            scheme: url.scheme, host: url.host.lowercased(), port: url.port ?? (url.scheme == "https" ? 443 : 80))
    }

    /// True if the host is a name that must be resolved.
    var isNamed: Bool {
        // libcurl resolves localhost by itself (RFC 6761, 6.3). An IPv6 address is in brackets.
        !origin.host.hasPrefix("[") && origin.host != "localhost" && !origin.host.hasSuffix(".localhost")
            && !origin.host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
}

extension HTTPURL {
    /// The URL with a request's target: its path is appended to the path, its query to the query.
    ///
    /// - Returns: nil if the target is not valid, or could lead outside the URL's path.
    package func appending(_ target: String) -> HTTPURL? {
        guard let first = target.utf8.first, "/?".utf8.contains(first), target.utf8.allSatisfy(Self.isURLByte) else {
            return nil
        }
        let (path, query) = Self.split(target[...])
        guard !path.split(separator: "/").contains(where: Self.isDotSegment) else { return nil }
        let (base, baseQuery) = Self.split(text.prefix { $0 != "#" })
        let whole = (base.hasSuffix("/") && path.hasPrefix("/") ? base.dropLast() : base) + path
        let queries = [baseQuery, query].compactMap(\.self).filter { !$0.isEmpty }
        let address = HTTPURL(queries.isEmpty ? String(whole) : "\(whole)?\(queries.joined(separator: "&"))")
        return address?.origin == origin ? address : nil
    }

    private static func split(_ text: Substring) -> (path: Substring, query: Substring?) {
        guard let mark = text.firstIndex(of: "?") else { return (text, nil) }
        return (text[..<mark], text[text.index(after: mark)...])
    }

    private static func isURLByte(_ byte: UInt8) -> Bool {
        (0x21...0x7e).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
    }

    /// True if a path segment is `.` or `..`, also percent-encoded.
    private static func isDotSegment(_ segment: Substring) -> Bool {
        let plain = segment.lowercased().replacing("%2e", with: ".")
        return plain == "." || plain == ".."
    }
}

/// Writes header fields of requests, and rejects names and values that could break out of their line.
enum FieldLine {
    /// The fields that libcurl writes.
    private static let framing: Set<String> = ["content-length", "transfer-encoding", "connection", "expect"]

    /// The line of a field; nil if it is not valid (RFC 9110, 5.1 and 5.5).
    static func line(_ name: String, _ value: String) -> String? {
        guard !name.isEmpty, name.utf8.allSatisfy(isToken), value.utf8.allSatisfy(isText) else { return nil }
        // libcurl sends a field without a value only when it ends in a semicolon.
        return value.isEmpty ? "\(name);" : "\(name): \(value)"
    }

    /// True if libcurl writes the field.
    static func isFraming(_ name: String) -> Bool {
        framing.contains(name.lowercased())
    }

    private static func isText(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7f || byte == 0x09
    }

    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
