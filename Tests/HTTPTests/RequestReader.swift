import HTTP

/// What a connection does with its input: heads, bodies, one request after the other, out of a buffer of its own.
/// Each outcome is a line of text, so that a table can state it.
struct RequestReader {
    private(set) var outcomes: [String] = []
    private var buffer: [UInt8] = []
    private var parser: RequestParser
    private var pending: (head: RequestHead, decoder: BodyDecoder)?
    private var isClosed = false
    private let limits: HTTPLimits

    init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        parser = RequestParser(limits: limits)
    }

    mutating func feed(_ bytes: some Collection<UInt8>) {
        buffer.append(contentsOf: bytes)
        while !isClosed, step() {}
    }

    /// All outcomes, and `incomplete` where a request was begun and not ended.
    var report: [String] {
        outcomes + (!isClosed && (pending != nil || !buffer.isEmpty) ? ["incomplete"] : [])
    }

    /// The outcomes of these bytes, given in pieces of a size.
    static func report(_ bytes: [UInt8], limits: HTTPLimits = HTTPLimits(), pieces: Int = .max) -> [String] {
        var reader = RequestReader(limits: limits)
        var rest = bytes[...]
        while !rest.isEmpty {
            reader.feed(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
        }
        return reader.report
    }

    private mutating func step() -> Bool {
        pending == nil ? stepHead() : stepBody()
    }

    private mutating func stepHead() -> Bool {
        guard !buffer.isEmpty else { return false }
        switch buffer.withUnsafeBytes({ parser.parse($0) }) {
        case .needMore: return false
        case .head(let head, let consumed):
            buffer.removeFirst(consumed)
            pending = (head, BodyDecoder(head.body, limits: limits))
            return true
        case .failed(let failure): return fail(failure)
        }
    }

    private mutating func stepBody() -> Bool {
        switch buffer.withUnsafeBytes({ pending?.decoder.decode($0) }) {
        case nil: return false
        case .needMore(let consumed):
            buffer.removeFirst(consumed)
            return false
        case .done(let consumed):
            buffer.removeFirst(consumed)
            if let pending {
                outcomes.append(Self.summary(pending.head, pending.decoder.body))
                isClosed = !pending.head.keepAlive
            }
            pending = nil
            return true
        case .failed(let failure): return fail(failure)
        }
    }

    private mutating func fail(_ failure: RequestFailure) -> Bool {
        outcomes.append("\(failure.status.rawValue) \(failure.code)")
        guard let consumed = failure.consumed else {
            isClosed = true
            return false
        }
        buffer.removeFirst(consumed)
        return true
    }

    private static func summary(_ head: RequestHead, _ body: [UInt8]) -> String {
        var words = ["\(head.method)", head.target, head.keepAlive ? "keep" : "close"]
        if head.expectsContinue { words.append("continue") }
        if !body.isEmpty { words.append(String(decoding: body, as: UTF8.self)) }
        return words.joined(separator: " ")
    }
}
