package import Cluster
package import HTTP
import HTTPServer

/// A request as one node sends it to another: the id and the client of the request, the right of an operator, and the request itself.
package struct LinkedMessage {
    /// The first part of what is sent: it does not depend on the connection.
    private let source: [UInt8]
    private let head: [UInt8]
    package let body: [UInt8]
    /// The request that gets the right of an operator, which this node has checked; nil for none.
    package let right: SignedRequest?

    /// - Parameter isByOperator: whether this node has checked that the client is an operator.
    package init(
        _ request: RequestHead, _ body: [UInt8], requestID: String, from client: IPAddress, isByOperator: Bool
    ) {
        var source = withUnsafeBytes(of: client.bits.bigEndian) { [UInt8]($0) }
        let id = requestID.utf8.prefix(Int(UInt8.max))
        source.append(UInt8(id.count))
        source.append(contentsOf: id)
        self.source = source
        head = request.forwarded(hidesCredentials: isByOperator)
        self.body = body
        right = isByOperator ? SignedRequest(request, body) : nil
    }

    /// The head of the message on one connection.
    ///
    /// - Parameter right: proves the right of an operator; empty for none.
    package func head(with right: String) -> [UInt8] {
        var message = source
        message.reserveCapacity(source.count + 1 + right.utf8.count + head.count)
        message.append(UInt8(right.utf8.count))
        message.append(contentsOf: right.utf8)
        message.append(contentsOf: head)
        return message
    }
}

/// A request as the other node reads it.
package struct ReceivedMessage {
    package let client: IPAddress
    package let requestID: String
    /// Empty for none.
    package let right: String
    package let head: RequestHead

    /// Nil if no node has sent this.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 17 else { return nil }
        client = IPAddress(ipv6: UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self)))
        var index = 16
        func text() -> String? {
            guard index < bytes.count, bytes.count - index > Int(bytes[index]) else { return nil }
            let end = index + 1 + Int(bytes[index])
            defer { index = end }
            return String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
        }
        guard let requestID = text(), RequestIDs.isValid(requestID), let right = text(),
            let head = RequestHead(forwarded: UnsafeRawBufferPointer(rebasing: bytes[index...]))
        else { return nil }
        (self.requestID, self.right, self.head) = (requestID, right, head)
    }
}

extension SignedRequest {
    /// A request as it travels between nodes.
    init(_ head: RequestHead, _ body: [UInt8]) {
        self.init(method: (head.method == .head ? .get : head.method).description, target: head.target, body: body)
    }
}
