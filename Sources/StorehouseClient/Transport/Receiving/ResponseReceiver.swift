/// Gets the response to one request, part by part, from the thread of a transport.
package protocol ResponseReceiver: Sendable {
    func receive(status: Int, headers: [String: String])
    func receive(_ bytes: [UInt8]) -> Reception
    /// Passes on what has come.
    func flush()
    /// Nothing comes behind that. Only the first end counts.
    func end(_ failure: TransportFailure?)
}

/// The answer of a receiver to bytes of a response.
package enum Reception: Hashable {
    case taken
    /// They are taken, and no more should be read until the receiver asks for it.
    case full
    /// They are too many, so the response should be ended with this reason.
    case refused(TransportFailure)
}
