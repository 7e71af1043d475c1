package import HTTP

/// Reads pipelined requests like a connection: heads and bodies, from its own buffer.
package struct RequestReader {
    /// The result of one request.
    package enum Outcome: Equatable {
        case request(method: HTTPMethod, target: String, body: [UInt8], keepAlive: Bool, expectsContinue: Bool)
        case refusal(RequestFailure)
        /// The last request is incomplete.
        case incomplete
    }

    private var outcomes: [Outcome] = []
    private var buffer: [UInt8] = []
    private var parser: RequestParser
    private var pending: (head: RequestHead, decoder: BodyDecoder)?
    private var isClosed = false
    private let limits: HTTPLimits

    private init(_ limits: HTTPLimits) {
        self.limits = limits
        parser = RequestParser(limits: limits)
    }

    /// The outcomes of bytes that arrive in these pieces.
    package static func outcomes(
        of pieces: some Sequence<ArraySlice<UInt8>>, limits: HTTPLimits
    ) throws(Finding) -> [Outcome] {
        var reader = RequestReader(limits)
        for piece in pieces {
            reader.buffer += piece
            while try reader.step() {}
        }
        let isIncomplete = !reader.isClosed && (reader.pending != nil || !reader.buffer.isEmpty)
        return reader.outcomes + (isIncomplete ? [.incomplete] : [])
    }

    /// Returns whether there may be more to read.
    private mutating func step() throws(Finding) -> Bool {
        guard !isClosed else { return false }
        return pending == nil ? try stepHead() : try stepBody()
    }

    private mutating func stepHead() throws(Finding) -> Bool {
        guard !buffer.isEmpty else { return false }
        switch buffer.withUnsafeBytes({ parser.parse($0) }) {
        case .needMore: return false
        case .head(let head, let consumed):
            try RequestProperties.check(head, Array(buffer.prefix(consumed)))
            try consume(consumed)
            pending = (head, BodyDecoder(head.body, limits: limits))
            return true
        case .failed(let failure, let head):
            if let head { try RequestProperties.check(head) }
            return try fail(failure)
        }
    }

    private mutating func stepBody() throws(Finding) -> Bool {
        switch buffer.withUnsafeBytes({ pending?.decoder.decode($0) }) {
        case nil: return false
        case .needMore(let consumed):
            try consume(consumed)
            return false
        case .done(let consumed):
            try consume(consumed)
            try finish()
            return true
        case .failed(let failure): return try fail(failure)
        }
    }

    private mutating func finish() throws(Finding) {
        guard let (head, decoder) = pending else { return }
        pending = nil
        try require(decoder.body.count <= limits.maxBodyBytes, "the body is over its limit")
        if case .length(let length) = head.body {
            try require(decoder.body.count == length, "not the length announced")
        }
        outcomes.append(
            .request(
                method: head.method, target: head.target, body: decoder.body, keepAlive: head.keepAlive,
                expectsContinue: head.expectsContinue))
        isClosed = !head.keepAlive
    }

    private mutating func fail(_ failure: RequestFailure) throws(Finding) -> Bool {
        outcomes.append(.refusal(failure))
        guard let consumed = failure.consumed else {
            isClosed = true
            return false
        }
        try consume(consumed)
        return true
    }

    private mutating func consume(_ count: Int) throws(Finding) {
        try require((0...buffer.count).contains(count), "\(count) of \(buffer.count) bytes are consumed")
        buffer.removeFirst(count)
    }
}
