/// What to send to a remote service; its address is the adapter's.
public struct RemoteRequest: Sendable, Equatable {
    /// `GET`, `POST` and so on.
    public var method: String
    /// What follows the service's address: a path, a query or both, as in `/cats?limit=1`; nil where nothing does.
    ///
    /// It must be written as a URL is: ``percentEncoded(_:)`` makes that of a text from outside. It leads neither to
    /// another host nor above the service's path.
    public var target: String?
    /// Fields for this request, beside those that the adapter has for all. They go to the service's own origin only.
    public var headers: [String: String]
    /// What to send; empty for none.
    public var body: [UInt8]
    /// The media type of `body`, or nil where there is none.
    public var contentType: String?
    /// How long the call may take; nil for as long as the adapter lets it, which is the most.
    public var timeout: Duration?
    /// Whether sending it twice is as good as once, so that it may be tried again; nil where the method says it.
    public var isIdempotent: Bool?

    /// A request without a body, unless one is given.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST` and so on.
    ///   - target: what follows the service's address.
    ///   - headers: fields for this request.
    ///   - body: what to send.
    ///   - contentType: the media type of `body`.
    ///   - timeout: how long the call may take, where that is less than the adapter allows.
    ///   - isIdempotent: whether it may be tried again; nil where the method says it.
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

    /// A `POST` of fields as a page's form sends them.
    ///
    /// - Parameters:
    ///   - fields: names with their values, in order.
    ///   - target: what follows the service's address.
    public static func form(_ fields: [(name: String, value: String)], target: String? = nil) -> RemoteRequest {
        let pairs = fields.map { percentEncoded($0.name) + "=" + percentEncoded($0.value) }
        return RemoteRequest(
            method: "POST", target: target, body: Array(pairs.joined(separator: "&").utf8),
            contentType: "application/x-www-form-urlencoded")
    }

    /// A text as it may stand anywhere in a URL or a form: every byte but letters, digits and `-._~` escaped
    /// (RFC 3986, 2.3).
    ///
    /// - Parameter text: whatever it is.
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

/// The header fields of a remote service's answer.
///
/// They are kept as they came, and searched when somebody asks: hardly anybody does.
public struct RemoteHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// Lines, each with its line break.
    private let section: [UInt8]

    /// The fields of a header section.
    ///
    /// - Parameter section: the lines as they came, a status line among them if there was one.
    public init(section: [UInt8]) { self.section = section }

    public init(dictionaryLiteral fields: (String, String)...) {
        section = Array(fields.map { "\($0): \($1)\r\n" }.joined().utf8)
    }

    /// The value of the first field of that name, in which case makes no difference; nil where there is none.
    public subscript(name: String) -> String? {
        let wanted = Array(name.lowercased().utf8)
        for line in section.split(whereSeparator: { $0 == 13 || $0 == 10 }) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon - line.startIndex == wanted.count,
                zip(line, wanted).allSatisfy({ Self.lowercased($0) == $1 })
            else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == 32 || $0 == 9 }
            let end = value.lastIndex { $0 != 32 && $0 != 9 }.map { $0 + 1 } ?? value.startIndex
            return String(decoding: value[..<end], as: UTF8.self)
        }
        return nil
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
