package import Sockets

/// Where a Redis server listens, as `storage.redis.url` names it.
package struct RedisAddress: Sendable, Equatable {
    package enum Endpoint: Sendable, Equatable {
        case tcp(host: String, port: Int)
        case unix(UnixSocketPath)
    }

    let endpoint: Endpoint
    /// Nil for the default user.
    let user: String?
    let password: String?
    let database: Int

    /// Why a URL cannot be used.
    package struct Malformed: Error, Equatable {
        /// A sentence that follows the name of the setting.
        package let detail: String
    }

    /// Reads the URL of a Redis server.
    ///
    /// - Parameter url: `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]` or
    ///   `unix://[[USER]:PASSWORD@]/PATH[?db=DATABASE]`. Reserved characters of the user and password are percent-encoded.
    package init(_ url: String) throws(Malformed) {
        let forms = "redis://[[user]:password@]host[:port][/database] or unix://[[user]:password@]/path[?db=database]"
        guard let (scheme, afterScheme) = url.divided(by: "://") else { throw Malformed(detail: "must be \(forms)") }
        if scheme == "rediss" {
            throw Malformed(
                detail:
                    "must not begin with rediss: this program speaks to Redis without TLS; put a tunnel such as stunnel "
                    + "in front of it, and name the tunnel with redis:// or unix://")
        }
        let (credentials, place) = afterScheme.dividedByLast("@") ?? ("", afterScheme)
        if credentials.isEmpty {
            (user, password) = (nil, nil)
        } else {
            guard let (name, secret) = credentials.divided(by: ":"), let name = name.percentDecoded,
                let secret = secret.percentDecoded, !secret.isEmpty
            else { throw Malformed(detail: "must have credentials of the form [user]:password@") }
            (user, password) = (name.isEmpty ? nil : name, secret)
        }
        let index: String
        switch scheme {
        case "redis":
            let (authority, path) = place.divided(by: "/") ?? (place, "")
            guard let endpoint = Self.tcp(authority) else { throw Malformed(detail: "must name a host: \(forms)") }
            (self.endpoint, index) = (endpoint, path)
        case "unix":
            let (path, query) = place.divided(by: "?db=") ?? (place, "")
            guard let socket = UnixSocketPath(path), !path.contains("?") else {
                let length = UnixSocketPath.maxBytes
                throw Malformed(
                    detail: "must name the absolute path of a socket with at most \(length) bytes: \(forms)")
            }
            (endpoint, index) = (.unix(socket), query)
        default: throw Malformed(detail: "must be \(forms)")
        }
        guard let database = index.isEmpty ? 0 : Int(index), (0...65535).contains(database) else {
            throw Malformed(detail: "must name a database from 0 to 65535, not '\(index)'")
        }
        self.database = database
    }

    private static func tcp(_ authority: String) -> Endpoint? {
        var (host, port) = (authority, "6379")
        if authority.hasPrefix("[") {
            guard let (address, rest) = authority.dropFirst().description.divided(by: "]") else { return nil }
            host = address
            if let (before, number) = rest.divided(by: ":") {
                guard before.isEmpty else { return nil }
                port = number
            } else if !rest.isEmpty {
                return nil
            }
        } else if let (name, number) = authority.divided(by: ":") {
            (host, port) = (name, number)
        }
        guard !host.isEmpty, let number = Int(port), (1...65535).contains(number) else { return nil }
        return .tcp(host: host, port: number)
    }
}

extension RedisAddress: CustomStringConvertible {
    /// The address without its credentials.
    package var description: String {
        switch endpoint {
        case .tcp: "redis://\(endpoint)/\(database)"
        case .unix(let path): "unix://\(path.text)" + (database == 0 ? "" : "?db=\(database)")
        }
    }
}

extension RedisAddress.Endpoint: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tcp(let host, let port): "\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .unix(let path): path.text
        }
    }
}

extension String {
    fileprivate func divided(by separator: String) -> (String, String)? {
        guard let range = firstRange(of: separator) else { return nil }
        return (String(self[..<range.lowerBound]), String(self[range.upperBound...]))
    }

    fileprivate func dividedByLast(_ separator: Character) -> (String, String)? {
        guard let index = lastIndex(of: separator) else { return nil }
        return (String(self[..<index]), String(self[self.index(after: index)...]))
    }

    /// Nil if a percent sign is not followed by two hexadecimal digits.
    fileprivate var percentDecoded: String? {
        var (bytes, rest) = ([UInt8](), Array(utf8)[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                return nil
            }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
