import Locks
import Platform
import StorehouseClient

/// The disk of the system, until a test lets it fail.
final class ScriptedDisk: OutboxDisk {
    enum Call: Hashable {
        case open, write, truncate, sync, syncFolder, rename, remove
    }

    private struct State {
        var calls: [Call] = []
        /// How many calls are still good; nil for all.
        var good: Int?
        var code: Int32 = 0
        /// How many calls fail behind the good ones.
        var bad = Int.max
        /// How much of a write that fails is done.
        var part = 0.5
    }

    private let state = Locked(State())
    private let system = SystemDisk()

    var calls: [Call] { state.withLock { $0.calls } }

    /// Lets calls fail with a code of the system.
    ///
    /// - Parameters:
    ///   - good: how many succeed before.
    ///   - bad: how many fail; all others succeed again.
    ///   - part: how much of a write that fails is done.
    func fail(_ code: Int32, after good: Int, times bad: Int = .max, part: Double = 0.5) {
        state.withLock { state in
            state.calls = []
            (state.good, state.code, state.bad, state.part) = (good, code, bad, part)
        }
    }

    /// - Returns: how much of a write is done although it fails; nil if all is well.
    private func next(_ call: Call) -> (code: Int32, part: Double)? {
        state.withLock { state in
            state.calls.append(call)
            guard let good = state.good, state.calls.count > good, state.bad > 0 else { return nil }
            state.bad -= 1
            // A disk that is gone does nothing more, not even a half.
            return (state.code, state.calls.count == good + 1 ? state.part : 0)
        }
    }

    private func check(_ call: Call) throws(DiskError) {
        if let failure = next(call) { throw DiskError(code: failure.code) }
    }

    func open(_ path: String) throws(DiskError) -> Int32 {
        try check(.open)
        return try system.open(path)
    }

    func write(_ bytes: [UInt8], to file: Int32, at offset: Int) throws(DiskError) {
        guard let failure = next(.write) else { return try system.write(bytes, to: file, at: offset) }
        try system.write(Array(bytes.prefix(Int(Double(bytes.count) * failure.part))), to: file, at: offset)
        throw DiskError(code: failure.code)
    }

    func truncate(_ file: Int32, to size: Int) throws(DiskError) {
        try check(.truncate)
        try system.truncate(file, to: size)
    }

    func sync(_ file: Int32) throws(DiskError) {
        try check(.sync)
    }

    func sync(folder: String) throws(DiskError) {
        try check(.syncFolder)
    }

    func rename(_ path: String, to other: String) throws(DiskError) {
        try check(.rename)
        try system.rename(path, to: other)
    }

    func remove(_ path: String) throws(DiskError) {
        try check(.remove)
        try system.remove(path)
    }
}
