/// One connection of a `FaultyUpstream`.
struct FaultyConnection {
    let descriptor: Int32
    let number: Int
    var steps: [FaultyUpstream.Step]
    private(set) var isClosed = false
    private var input: [UInt8] = []
    /// Nil for HTTP.
    private let wire: (any FaultyWire)?

    init(_ descriptor: Int32, number: Int, steps: [FaultyUpstream.Step], _ wire: (any FaultyWire)? = nil) {
        self.wire = wire
        self.descriptor = descriptor
        self.number = number
        self.steps = steps
    }

    /// The targets of the requests whose answers are not awaited any more.
    var cancelled: [String] { wire?.cancelled ?? [] }

    var isDripping: Bool {
        if case .drip = steps.first { true } else { false }
    }

    func wantsToWrite(_ isReleased: Bool) -> Bool {
        switch steps.first {
        case .send, .answer, .bytes, .endless, .close, .reset: true
        case .hold: isReleased
        case .drip, .hang, nil: false
        }
    }

    /// Reads what there is.
    /// - Returns: false if the peer has ended the connection.
    mutating func read() -> Bool {
        guard !isClosed, let bytes = TestSocket.read(descriptor) else { return true }
        guard !bytes.isEmpty else {
            close()
            return false
        }
        input += bytes
        return true
    }

    /// The whole requests that have come.
    mutating func takeRequests() -> [FaultyRequest] {
        guard let wire else {
            var requests: [FaultyRequest] = []
            while let (head, body) = takeRequest() { requests.append(FaultyRequest(head: head, body: body)) }
            return requests
        }
        defer { input = [] }
        let (requests, reply) = wire.receive(input)
        let next: [FaultyUpstream.Step] = (reply.isEmpty ? [] : [.bytes(reply)]) + (wire.isOver ? [.close] : [])
        // A service that hangs says nothing more.
        if case .hang? = steps.first { steps += next } else { steps.insert(contentsOf: next, at: 0) }
        return requests
    }

    /// Adds the steps for a request.
    ///
    /// - Parameter numbers: those of all requests, by their indices.
    mutating func add(_ new: [FaultyUpstream.Step], answering number: Int, _ numbers: [Int]) {
        guard let wire else {
            steps += new
            return
        }
        steps += new.map { step in
            switch step {
            case .send(let text): .bytes(wire.bytes(of: Array(text.utf8), to: number))
            case .bytes(let bytes): .bytes(wire.bytes(of: bytes, to: number))
            case .answer(let index, let text): .bytes(wire.bytes(of: Array(text.utf8), to: numbers[index]))
            default: step
            }
        }
    }

    /// The next whole request.
    private mutating func takeRequest() -> (head: String, body: String)? {
        let end = Array("\r\n\r\n".utf8)
        guard let blank = input.indices.first(where: { input[$0...].starts(with: end) }) else { return nil }
        let head = String(decoding: input[..<blank], as: UTF8.self)
        let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let length = field.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
        guard input.count >= blank + 4 + length else { return nil }
        let body = String(decoding: input[(blank + 4)..<(blank + 4 + length)], as: UTF8.self)
        input.removeFirst(blank + 4 + length)
        return (head, body)
    }

    /// Does what can be done without waiting.
    mutating func perform(_ isReleased: Bool) {
        while !isClosed, let step = steps.first {
            switch step {
            case .send(let text), .answer(_, let text):
                steps[0] = .bytes(Array(text.utf8))
                continue
            case .bytes(let bytes):
                guard finish(sending: bytes) else { return }
            case .drip(let text):
                let rest = String(text.dropFirst())
                guard TestSocket.send(descriptor, Array(text.utf8.prefix(1))) == 1 else { return close() }
                steps[0] = .drip(rest)
                guard rest.isEmpty else { return }
            case .endless(let text):
                guard TestSocket.send(descriptor, Array(text.utf8)) != nil else { return close() }
                return
            case .hang: return
            case .hold:
                guard isReleased else { return }
            case .close: return close()
            case .reset:
                TestSocket.makeReset(descriptor)
                return close()
            }
            steps.removeFirst()
        }
    }

    /// - Returns: whether all of it is sent.
    private mutating func finish(sending bytes: [UInt8]) -> Bool {
        guard let sent = TestSocket.send(descriptor, bytes) else {
            close()
            return false
        }
        steps[0] = .bytes(Array(bytes.dropFirst(sent)))
        return sent == bytes.count
    }

    mutating func close() {
        guard !isClosed else { return }
        TestSocket.shut(descriptor)
        isClosed = true
    }
}
