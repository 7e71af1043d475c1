import JSON
import Security

/// The key of one connection between two nodes, which only they can make.
package struct LinkKey: Sendable {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The code that gives one request of this connection the right of an operator.
    fileprivate func code(_ number: UInt64, _ request: SignedRequest) -> [UInt8]? {
        TokenSigner.code(of: request.signed(number), bytes)
    }

    fileprivate func isCode(_ code: [UInt8], _ number: UInt64, _ request: SignedRequest) -> Bool {
        TokenSigner.isCode(code, of: request.signed(number), bytes)
    }
}

/// All that is sent of a request. It has no body, so the right is known before anything else is done with it.
package struct SignedRequest: Sendable {
    private let message: ArraySlice<UInt8>

    package init(_ message: ArraySlice<UInt8>) { self.message = message }

    /// The message comes last, because it alone may have line feeds.
    fileprivate func signed(_ number: UInt64) -> [UInt8] { Array("storehouse operator\n\(number)\n".utf8) + message }
}

/// A connection to another node that has proved itself, at the end that has opened it.
package struct CalledLink: Sendable {
    private let key: LinkKey
    private var lastNumber: UInt64 = 0

    init(_ key: LinkKey) { self.key = key }

    /// Gives the next request the right of an operator, which this node has checked. No two requests get the same value.
    package mutating func right(for request: SignedRequest) -> String? {
        lastNumber += 1
        return key.code(lastNumber, request).map { "\(lastNumber) \(Base64URL.encode($0))" }
    }
}

/// A connection of another node that has proved itself, at the end that has accepted it.
package struct AnsweredLink: Sendable {
    private let key: LinkKey
    private var lastNumber: UInt64 = 0

    init(_ key: LinkKey) { self.key = key }

    /// Whether the other node gives a request the right of an operator. A value counts once, and none before it counts later.
    package mutating func gives(_ right: String, to request: SignedRequest) -> Bool {
        guard right.utf8.count <= LinkVersion.maxBytes else { return false }
        let words = right.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let number = UInt64(words[0]), String(number) == words[0], number > lastNumber,
            let code = Base64URL.decode(words[1].utf8), key.isCode(code, number, request)
        else { return false }
        lastNumber = number
        return true
    }
}
