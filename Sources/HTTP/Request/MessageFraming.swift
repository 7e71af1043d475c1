/// The framing of a request: how its body is delimited, and whether the connection stays open.
struct MessageFraming: Sendable {
    private(set) var body = BodyFraming.none
    private(set) var keepAlive: Bool
    private(set) var expectsContinue = false
    private(set) var refusal: Refusal?

    /// Why a request is refused although it is well-formed.
    enum Refusal: Sendable {
        case transferCoding
        case size(limit: Int)
        case expectation

        var failure: RequestFailure {
            switch self {
            case .transferCoding: RequestFailure(.notImplemented, "The only supported transfer coding is chunked.")
            case .size(let limit): RequestFailure(.bodyTooLarge, "The body has more than \(limit) bytes.")
            case .expectation:
                RequestFailure(.expectationFailed, "The only supported expectation is 100-continue.")
            }
        }
    }

    private let version: HTTPVersion
    private var hosts = 0
    private var length: Int?
    private var codings: TransferCodings?
    private var closes = false
    /// Whether the client has an expectation other than `100-continue`.
    private var expectsOther = false

    /// That of a request that has arrived as a whole.
    init() { (version, keepAlive) = (.http11, true) }

    /// - Throws: malformed requests only. A well-formed request that is refused has a ``refusal``.
    init(
        _ lines: [FieldLine], _ bytes: UnsafeRawBufferPointer, version: HTTPVersion, limits: HTTPLimits
    ) throws(RequestFailure) {
        self.version = version
        keepAlive = version == .http11
        for line in lines { try add(line, bytes) }
        if hosts == 0, version == .http11 { throw .malformed("An HTTP/1.1 request needs a Host field.") }
        if closes { keepAlive = false }
        try decideBody(limits)
        // RFC 9110, section 10.1.1: ignored from HTTP/1.0 clients and for requests without a body.
        if version == .http10 || body == .none { expectsContinue = false }
        if expectsOther, refusal == nil { refusal = .expectation }
    }

    @inline(__always)
    private mutating func add(_ line: FieldLine, _ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        switch line.name.count {
        case 4 where bytes.hasText("host", in: line.name): try addHost(line.value, bytes)
        case 6 where bytes.hasText("expect", in: line.name):
            if bytes.hasText("100-continue", in: line.value) { expectsContinue = true } else { expectsOther = true }
        case 10 where bytes.hasText("connection", in: line.name): try addConnection(line.value, bytes)
        case 14 where bytes.hasText("content-length", in: line.name): try addLength(line.value, bytes)
        case 17 where bytes.hasText("transfer-encoding", in: line.name):
            var known = codings ?? TransferCodings()
            known.add(bytes, line.value)
            codings = known
        default: break
        }
    }

    private mutating func addHost(_ value: Range<Int>, _ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        hosts += 1
        guard hosts == 1 else { throw .malformed("The Host field occurs more than once.") }
        guard AuthoritySyntax.isValid(bytes, value, portNeeded: false) else {
            throw .malformed("The Host field is not a host with an optional port.")
        }
    }

    private mutating func addConnection(
        _ value: Range<Int>, _ bytes: UnsafeRawBufferPointer
    ) throws(RequestFailure) {
        let token = ByteClass.token
        for option in ListElements(bytes, in: value) {
            if bytes.hasText("close", in: option) {
                closes = true
            } else if bytes.hasText("keep-alive", in: option) {
                keepAlive = true
            } else if !bytes[option].allSatisfy({ token.contains($0) }) {
                throw .malformed("The Connection field is not a list of tokens.")
            }
        }
    }

    private mutating func addLength(_ value: Range<Int>, _ bytes: UnsafeRawBufferPointer) throws(RequestFailure) {
        guard length == nil else { throw .malformed("The Content-Length field occurs more than once.") }
        guard let number = DecimalNumber.parse(bytes, value) else {
            throw .malformed("The Content-Length field is not a plain decimal number.")
        }
        length = number
    }

    private mutating func decideBody(_ limits: HTTPLimits) throws(RequestFailure) {
        if let codings {
            if length != nil { throw .malformed("Content-Length and Transfer-Encoding exclude each other.") }
            if version == .http10 { throw .malformed("HTTP/1.0 has no transfer codings.") }
            try codings.check()
            if codings.hasOthers { refusal = .transferCoding }
            body = .chunked
        } else if let length, length > 0 {
            if length > limits.maxBodyBytes { refusal = .size(limit: limits.maxBodyBytes) }
            body = .length(length)
        }
    }
}

/// The transfer codings in all Transfer-Encoding lines of a request (RFC 9112, section 6.1).
struct TransferCodings: Sendable {
    private var chunked = 0
    private var others = 0
    private var endsChunked = false

    mutating func add(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>) {
        for coding in ListElements(bytes, in: value) {
            endsChunked = bytes.hasText("chunked", in: coding)
            if endsChunked { chunked += 1 } else { others += 1 }
        }
    }

    /// Whether there are codings before `chunked`, which are not supported: 501.
    var hasOthers: Bool { others > 0 }

    /// Accepts a single `chunked` at the end only. If chunked is not the final coding, the end of the body is unknown: 400
    /// (RFC 9112, section 6.3).
    func check() throws(RequestFailure) {
        guard endsChunked, chunked == 1 else {
            throw .malformed("The final transfer coding of a request must be chunked, once.")
        }
    }
}
