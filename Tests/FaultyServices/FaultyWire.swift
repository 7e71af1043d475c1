/// How requests and answers are bytes on one connection of a `FaultyUpstream`. On its thread.
package protocol FaultyWire: AnyObject {
    /// Takes what has come.
    ///
    /// - Returns: the whole requests in it, and what is to be sent at once.
    func receive(_ bytes: [UInt8]) -> (requests: [FaultyRequest], reply: [UInt8])

    /// The targets of the requests whose answers are not awaited any more.
    var cancelled: [String] { get }

    /// Whether the connection closes now.
    var isOver: Bool { get }

    /// An answer, as HTTP, or its next bytes. What is no HTTP is sent as it is.
    func bytes(of answer: [UInt8], to number: Int) -> [UInt8]
}

/// A request that has come on a connection.
package struct FaultyRequest: Sendable {
    let head: String
    let body: String
    /// By which it is answered.
    let number: Int

    package init(head: String, body: String, number: Int = 0) {
        self.head = head
        self.body = body
        self.number = number
    }
}
