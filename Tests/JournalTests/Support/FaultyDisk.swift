import CFaultyDisk
import Foundation

/// A disk that fails on demand.
final class FaultyDisk: Sendable {
    let name = "faulty-" + UUID().uuidString
    // Sendable although C does not say so: all of it is atomic.
    private nonisolated(unsafe) let disk: OpaquePointer

    struct NotMade: Error {}

    init() throws {
        guard let disk = faulty_disk_make(name) else { throw NotMade() }
        self.disk = disk
    }

    /// Fails so from now on, after `good` more writes or syncs that succeed.
    func fail(_ kind: faulty_kind, after good: Int = 0) { faulty_disk_fail(disk, kind, Int32(good)) }

    func heal() { faulty_disk_fail(disk, FAULTY_NOT, 0) }

    /// Has each sync that begins meanwhile wait for the end of `body`.
    func holding(_ body: () -> Void) {
        faulty_disk_hold(disk, 1)
        body()
        faulty_disk_hold(disk, 0)
    }

    /// Lets nothing change any more after `good` more writes, syncs and so on, the last of which is half done.
    ///
    /// The synced content of each file is beside it from now on, in a file with the suffix `-synced`.
    func end(after good: Int, tearing: Bool) { faulty_disk_end(disk, Int32(good), tearing ? 1 : 0) }

    /// Whether the first that changed nothing any more was a write.
    var endsWriting: Bool { faulty_disk_ends_writing(disk) != 0 }

    /// Whether the end was reached.
    var hasEnded: Bool { faulty_disk_has_ended(disk) != 0 }

    /// Makes truncations fail, or work again.
    func refuseCuts(_ refuses: Bool) { faulty_disk_refuse_cuts(disk, refuses ? 1 : 0) }

    /// How often a file was to be made shorter.
    var cuts: Int { Int(faulty_disk_cuts(disk)) }

    var syncs: Int { Int(faulty_disk_syncs(disk)) }
}
