import Foundation

package enum TestDirectory {
    /// Where tests of storages keep their files: in memory, if the system has enough of it for files. A disk that others use too may
    /// take seconds for a sync. What a machine would lose without power is simulated in any case.
    package static let parent: String = {
        let memory = "/dev/shm"
        let facts = try? FileManager.default.attributesOfFileSystem(forPath: memory)
        let free = (facts?[.systemFreeSize] as? NSNumber)?.intValue ?? 0
        return free > 4 << 30 && FileManager.default.isWritableFile(atPath: memory) ? memory : "/tmp"
    }()
}
