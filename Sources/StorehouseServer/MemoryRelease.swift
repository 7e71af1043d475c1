/// Decides when memory that became free is worth returning to the system.
///
/// The allocator keeps what is freed between blocks in use. After many clients at once have sent or awaited much, that can be most of
/// what a process has.
package struct MemoryRelease: Sendable {
    /// Less than this is kept for the next clients.
    package static let minBytes = 16 << 20

    /// The most bytes that were held since memory was returned.
    private var most = 0

    package init() {}

    /// - Parameters:
    ///   - peak: the most bytes that were held since the last call.
    ///   - held: how many bytes are held now.
    /// - Returns: whether to return memory now.
    package mutating func update(peak: Int, held: Int) -> Bool {
        most = max(most, peak)
        guard most - held >= Self.minBytes else { return false }
        most = held
        return true
    }
}
