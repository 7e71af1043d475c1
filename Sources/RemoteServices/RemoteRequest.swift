public import JSON

/// A request to a remote service. The client knows the address of the service.
public struct RemoteRequest: Sendable, Equatable {
    /// `GET`, `POST` and so on.
    public var method: String
    /// The part of the URL behind the address of the service: a path, a query or both, as in `/cats?limit=1`; nil for none.
    ///
    /// It must be percent-encoded: see ``percentEncoded(_:)``. It cannot lead to another host or above the path of the service.
    public var target: String?
    /// Header fields of this request, in addition to those of the client. They are sent to the origin of the service only.
    public var headers: [String: String]
    /// The body; empty for none.
    public var body: [UInt8]
    /// The media type of `body`, or nil.
    public var contentType: String?
    /// The deadline of the call; nil for the deadline of the client, which is also the maximum.
    public var timeout: Duration?
    /// Whether the request may be repeated after a failure; nil if the method decides.
    public var isIdempotent: Bool?

    /// A request, by default without a body.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST` and so on.
    ///   - target: the part of the URL behind the address of the service.
    ///   - headers: header fields of this request.
    ///   - body: the body.
    ///   - contentType: the media type of `body`.
    ///   - timeout: the deadline of the call, if it is shorter than that of the client.
    ///   - isIdempotent: whether the request may be repeated; nil if the method decides.
    public init(
        method: String = "GET", target: String? = nil, headers: [String: String] = [:], body: [UInt8] = [],
        contentType: String? = nil, timeout: Duration? = nil, isIdempotent: Bool? = nil
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.contentType = contentType
        self.timeout = timeout
        self.isIdempotent = isIdempotent
    }

    /// A `GET`.
    ///
    /// - Parameters:
    ///   - target: the part of the URL behind the address of the service.
    ///   - headers: header fields of this request.
    public static func get(_ target: String? = nil, headers: [String: String] = [:]) -> RemoteRequest {
        RemoteRequest(target: target, headers: headers)
    }

    /// A `POST` of JSON.
    ///
    /// - Parameters:
    ///   - json: the body.
    ///   - target: the part of the URL behind the address of the service.
    ///   - headers: header fields of this request.
    ///   - isIdempotent: whether the request may be repeated after a failure that the service may have seen. Nil says: if it carries
    ///     the `Idempotency-Key` of a fetch.
    public static func post(
        _ json: JSONValue, target: String? = nil, headers: [String: String] = [:], isIdempotent: Bool? = nil
    ) -> RemoteRequest {
        RemoteRequest(
            method: "POST", target: target, headers: headers, body: json.encoded(), contentType: "application/json",
            isIdempotent: isIdempotent)
    }

    /// A `POST` of form fields.
    ///
    /// - Parameters:
    ///   - fields: names with their values, in order.
    ///   - target: the part of the URL behind the address of the service.
    public static func form(_ fields: [(name: String, value: String)], target: String? = nil) -> RemoteRequest {
        let pairs = fields.map { percentEncoded($0.name) + "=" + percentEncoded($0.value) }
        return RemoteRequest(
            method: "POST", target: target, body: Array(pairs.joined(separator: "&").utf8),
            contentType: "application/x-www-form-urlencoded")
    }

    /// A string for any place in a URL or a form: all bytes except letters, digits and `-._~` are escaped (RFC 3986, 2.3).
    ///
    /// - Parameter text: any string.
    public static func percentEncoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.append(byte)
            default:
                encoded += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension RemoteRequest: CustomDebugStringConvertible {
    /// The method, the target, the names of the header fields, and the body as text. A failed test shows it. It may have secrets,
    /// so it belongs in no log.
    public var debugDescription: String {
        let names = headers.keys.sorted().map { " " + $0 + ":" }.joined()
        let text = body.isEmpty ? "" : " " + String(decoding: body, as: UTF8.self)
        return "\(method) \(target ?? "/")\(names)\(text)"
    }
}

extension RemoteResponse {
    /// The header fields of a response.
    ///
    /// They are stored unparsed and searched on demand, because most callers never read them.
    public struct Headers: Sendable, Equatable, ExpressibleByDictionaryLiteral {
        /// The lines with their line breaks.
        private let section: [UInt8]

        /// The fields of a header section.
        ///
        /// - Parameter section: the received lines. A status line may be among them.
        package init(section: [UInt8]) { self.section = section }

        public init(dictionaryLiteral fields: (String, String)...) {
            section = Array(fields.map { "\($0): \($1)\r\n" }.joined().utf8)
        }

        /// The value of the first field with this name, case-insensitive; nil if there is none.
        public subscript(name: String) -> String? {
            let wanted = Array(name.lowercased().utf8)
            for line in section.split(whereSeparator: { $0 == 13 || $0 == 10 }) {
                guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon - line.startIndex == wanted.count,
                    zip(line, wanted).allSatisfy({ Self.lowercased($0) == $1 })
                else { continue }
                return Self.value(of: line, after: colon)
            }
            return nil
        }

        /// All fields in order.
        package var fields: [(name: String, value: String)] {
            section.split(whereSeparator: { $0 == 13 || $0 == 10 }).compactMap { line in
                line.firstIndex(of: UInt8(ascii: ":")).map { colon in
                    (String(decoding: line[..<colon], as: UTF8.self), Self.value(of: line, after: colon))
                }
            }
        }

        /// The value of a field without the white space around it.
        private static func value(of line: ArraySlice<UInt8>, after colon: Int) -> String {
            let value = line[line.index(after: colon)...].drop { $0 == 32 || $0 == 9 }
            let end = value.lastIndex { $0 != 32 && $0 != 9 }.map { $0 + 1 } ?? value.startIndex
            return String(decoding: value[..<end], as: UTF8.self)
        }

        private static func lowercased(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
    }
}
