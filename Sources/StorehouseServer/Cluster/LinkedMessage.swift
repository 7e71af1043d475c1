package import Cluster
package import HTTP
import HTTPServer

/// A request as one node sends it to another: the right of an operator, the client and the id of the request, and its head. Each text
/// has its length in front, in 8 bits.
package struct LinkedMessage {
    /// The message of a request that has no right.
    private let message: [UInt8]
    private let isByOperator: Bool
    package let body: [UInt8]

    /// - Parameters:
    ///   - body: is left out if the client is an operator: no resource of operators has one.
    ///   - isByOperator: whether this node has checked that.
    ///   - asksForActor: whether only the other node knows the actor that sends it.
    package init(
        _ request: RequestHead, _ body: [UInt8], requestID: String, from client: IPAddress, isByOperator: Bool,
        asksForActor: Bool = false
    ) {
        let id = requestID.utf8.prefix(Int(UInt8.max))
        var start: [UInt8] = [0]
        start.reserveCapacity(18 + id.count)
        withUnsafeBytes(of: client.bits.bigEndian) { start.append(contentsOf: $0) }
        start.append(UInt8(id.count))
        start.append(contentsOf: id)
        message = request.forwarded(behind: start, hidesCredentials: isByOperator, asksForActor: asksForActor)
        self.body = isByOperator ? [] : body
        self.isByOperator = isByOperator
    }

    /// The request that gets the right of an operator, which this node has checked; nil for none.
    package var signed: SignedRequest? { isByOperator ? SignedRequest(message[1...]) : nil }

    /// The head of the message on one connection.
    ///
    /// - Parameter right: proves the right of an operator; empty for none.
    package func head(with right: String) -> [UInt8] {
        if right.isEmpty { return message }
        return [UInt8(right.utf8.count)] + right.utf8 + message[1...]
    }
}

/// A request as the other node reads it.
package struct ReceivedMessage {
    package let client: IPAddress
    package let requestID: String
    /// The right of an operator that the other node claims for the request; nil for none.
    package let claim: (right: String, request: SignedRequest)?
    package let head: RequestHead

    /// Nil if no node has sent this.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        func text() -> String? {
            guard index < bytes.count, bytes.count - index > Int(bytes[index]) else { return nil }
            let end = index + 1 + Int(bytes[index])
            defer { index = end }
            return String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
        }
        guard let right = text(), bytes.count - index > 16 else { return nil }
        let signed = bytes[index...]
        client = IPAddress(ipv6: UInt128(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt128.self)))
        index += 16
        guard let requestID = text(), RequestIDs.isValid(requestID),
            let head = RequestHead(forwarded: UnsafeRawBufferPointer(rebasing: bytes[index...]))
        else { return nil }
        (self.requestID, self.head) = (requestID, head)
        claim = right.isEmpty ? nil : (right, SignedRequest(Array(signed)[...]))
    }
}
