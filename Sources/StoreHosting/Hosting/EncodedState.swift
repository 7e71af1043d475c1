/// A selected value as JSON, and its revision.
public struct EncodedState: Sendable {
    /// The revision of the state.
    public let revision: Int
    /// The value as JSON, in UTF-8.
    public let json: [UInt8]

    /// A value of the state at `revision`.
    public init(revision: Int, json: [UInt8]) {
        self.revision = revision
        self.json = json
    }
}
