/// How long a closing channel still takes in what the peer sends, after its own last byte.
///
/// Without it, bytes that nobody reads make the system reset the connection, and the reset may overtake the answer.
package struct Linger: Sendable, Hashable {
    /// How many bytes are read and dropped at most.
    package var bytes: Int
    /// For how long at most, counted from the last byte sent.
    package var time: Duration

    package init(bytes: Int = 8 << 20, time: Duration = .seconds(5)) {
        self.bytes = bytes
        self.time = time
    }
}
