import Platform

/// The files of one outbox: its records, its cache, and a lock that keeps others away. It is used by one thread at a time.
final class OutboxFile {
    /// A file that is not longer is not worth to be compacted.
    private static let smallSize = 65_536

    private let path: String
    private let folder: String
    private let disk: any OutboxDisk
    private let lock: Int32
    /// Negative until the file exists.
    private var file: Int32 = -1
    private var log = OutboxLog()
    /// Whether bytes may stand behind the records that are kept.
    private var hasRest = false
    /// Whether a loss of power may take away the name of the file.
    private var isUnnamed = false
    private var compactsAt = smallSize

    /// Takes the lock.
    ///
    /// - Parameter waitTimeout: how long another store is awaited that is about to end.
    init(_ name: String, in folder: String, _ disk: any OutboxDisk, waitTimeout: Duration) throws(StorageFailure) {
        self.folder = folder
        self.disk = disk
        path = folder + "/" + name
        Self.make(folder)
        do throws(DiskError) {
            lock = try disk.open(path + ".lock")
        } catch {
            throw Self.failure(error, path)
        }
        let end = MonotonicInstant.current.advanced(by: waitTimeout)
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, MonotonicInstant.current < end else {
                close(lock)
                throw .inUse(path: path + ".outbox")
            }
            usleep(5000)
        }
    }

    deinit {
        // An entry that was told as not kept should not be there later.
        try? cutRest()
        if file >= 0 { close(file) }
        close(lock)
    }

    /// Reads all that is kept, and cuts off what a crash has torn.
    func load() throws(StorageFailure) -> StoredOutbox {
        try attempt { () throws(DiskError) in
            try disk.remove(path + ".outbox.new")
            try disk.remove(path + ".cache.new")
        }
        var damage: StorageFailure?
        if let bytes = try contents(of: path + ".outbox") {
            guard let log = OutboxLog(reading: bytes) else { throw .newer(path: path + ".outbox") }
            self.log = log
            hasRest = bytes.count > log.size
            try attempt { () throws(DiskError) in
                try open()
                try cutRest()
            }
            if log.isDamaged {
                damage = .damaged(path: path + ".outbox")
                compact()
            }
        }
        return StoredOutbox(
            client: log.client, last: log.last, sent: log.sent, rows: log.openRows,
            cache: try contents(of: path + ".cache").flatMap(CacheFile.decoded),
            damage: damage)
    }

    func append(_ rows: [OutboxRow]) throws(StorageFailure) {
        let bytes = OutboxLog.encoded(rows)
        try write(bytes)
        log.append(rows, byteCount: bytes.count)
    }

    func advance(_ progress: OutboxProgress) throws(StorageFailure) {
        let bytes = log.encoded(progress)
        try write(bytes)
        log.advance(progress, byteCount: bytes.count)
        if log.size >= compactsAt, log.size / 2 > log.liveSize { compact() }
    }

    func save(_ cache: [UInt8]) throws(StorageFailure) {
        try attempt { () throws(DiskError) in
            close(try replace(path + ".cache", with: CacheFile.encoded(cache), syncs: false))
        }
    }

    func clear() throws(StorageFailure) {
        if file >= 0 { close(file) }
        (file, log, hasRest, isUnnamed) = (-1, OutboxLog(), false, false)
        try attempt { () throws(DiskError) in
            for suffix in [".outbox", ".cache", ".outbox.new", ".cache.new"] { try disk.remove(path + suffix) }
            try disk.sync(folder: folder)
        }
    }

    // MARK: Writing

    /// Returns when the bytes are durable. If it throws, none of them is kept.
    private func write(_ bytes: [UInt8]) throws(StorageFailure) {
        try attempt { () throws(DiskError) in
            try open()
            try cutRest()
            do throws(DiskError) {
                try disk.write(log.size == 0 ? OutboxLog.head + bytes : bytes, to: file, at: log.size)
                try disk.sync(file)
                if isUnnamed { try disk.sync(folder: folder) }
                isUnnamed = false
            } catch {
                hasRest = true
                try? cutRest()
                throw error
            }
        }
    }

    private func open() throws(DiskError) {
        guard file < 0 else { return }
        file = try disk.open(path + ".outbox")
        isUnnamed = true
    }

    private func cutRest() throws(DiskError) {
        guard hasRest else { return }
        try disk.truncate(file, to: log.size)
        try disk.sync(file)
        hasRest = false
    }

    /// Writes the file anew without the entries that are done. The old one serves on if that fails.
    private func compact() {
        let bytes = log.compacted
        do throws(DiskError) {
            let new = try replace(path + ".outbox", with: bytes, syncs: true)
            close(file)
            file = new
            log = OutboxLog(reading: bytes) ?? OutboxLog()
            isUnnamed = true
            compactsAt = Self.smallSize
        } catch {
            compactsAt = log.size * 2
        }
    }

    /// Puts a new file in the place of another, whole or not at all.
    ///
    /// - Returns: the new file.
    private func replace(_ path: String, with bytes: [UInt8], syncs: Bool) throws(DiskError) -> Int32 {
        let new = try disk.open(path + ".new")
        do throws(DiskError) {
            try disk.truncate(new, to: 0)
            try disk.write(bytes, to: new, at: 0)
            if syncs { try disk.sync(new) }
            try disk.rename(path + ".new", to: path)
            return new
        } catch {
            close(new)
            try? disk.remove(path + ".new")
            throw error
        }
    }

    // MARK: Errors

    private func contents(of path: String) throws(StorageFailure) -> [UInt8]? {
        do throws(FileError) {
            return try FileContents.contents(of: path, atMost: 1 << 30)
        } catch .missing {
            return nil
        } catch {
            throw .unusable(path: path, reason: "\(error)")
        }
    }

    private func attempt(_ body: () throws(DiskError) -> Void) throws(StorageFailure) {
        do throws(DiskError) {
            try body()
        } catch {
            throw Self.failure(error, path)
        }
    }

    private static func failure(_ error: DiskError, _ path: String) -> StorageFailure {
        switch error.code {
        case ENOSPC, EDQUOT, EFBIG: .diskFull(path: path + ".outbox")
        default: .unusable(path: path + ".outbox", reason: String(cString: strerror(error.code)))
        }
    }

    /// Makes a folder with those around it. If that fails, no file can be opened in it.
    private static func make(_ folder: String) {
        for end in folder.indices.dropFirst() where folder[end] == "/" { mkdir(String(folder[..<end]), 0o700) }
        mkdir(folder, 0o700)
    }
}
