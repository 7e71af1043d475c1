/// Where a page of a list begins: behind a session.
package protocol ListPlace: Sendable, CustomStringConvertible {
    init?(_ text: some Collection<UInt8>)

    /// A text from which the id of the session is not read at a glance.
    var cursor: String { get }

    init?(cursor: String)
}

extension SessionID: ListPlace {}

extension UsePlace: ListPlace {}
