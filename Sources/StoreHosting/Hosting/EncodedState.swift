/// A selected value as JSON, and its revision.
@usableFromInline
package struct EncodedState: Sendable {
    /// The revision of the state.
    package let revision: Int
    /// The value as JSON, in UTF-8.
    package let json: [UInt8]

    /// A value of the state at `revision`.
    package init(revision: Int, json: [UInt8]) {
        self.revision = revision
        self.json = json
    }
}
