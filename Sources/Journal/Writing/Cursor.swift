/// Where a session's rows go on: what the writer knows of the newest.
struct Cursor: Sendable {
    /// The session's, by which its rows find it.
    let number: Int
    /// Of the newest commit.
    var revision: Int
    /// The newest commit's checksum.
    var chain: UInt64
    /// The revision from which on it is worth looking whether old commits can go.
    var nextLook: Int
}
