package import StoreHosting

extension IdempotencyCache {
    /// The records of one session, oldest first, found by their keys.
    ///
    /// There may be many thousand records, so they stand one after another in one array of bytes. An object for each would
    /// take several times the memory.
    package struct Records {
        /// The fixed part of a record in ``bytes``; its key and its response follow.
        private struct Head {
            /// The record before this one whose key has the same hash, by its position, or this one itself for none.
            var previous: UInt32
            var hash: UInt32
            var at: Int64
            /// -1 for none.
            var revision: Int64
            var fingerprint: UInt64
            /// Of the action with its secrets; only if the request came to this process.
            var inMemoryFingerprint: UInt64
            var responseCount: UInt32
            var keyCount: UInt16
            var hasInMemoryFingerprint: Bool
            /// Whether a later record with the same key replaces this one.
            var isReplaced = false

            static let size = MemoryLayout<Head>.size

            var totalCount: Int { Head.size + Int(keyCount) + Int(responseCount) }
        }

        /// The records, after ``start`` bytes that are free.
        private var bytes: [UInt8] = []
        private var start = 0
        /// The position of the first byte. Positions count all bytes that ever were among them, and wrap around.
        private var base: UInt32 = 0
        /// The position of the newest record for each hash of a key.
        private var positions: [UInt32: UInt32] = [:]
        /// The number of keys.
        package private(set) var count = 0

        package init() {}

        /// How many bytes the records take.
        package var byteCount: Int { bytes.count - start }

        /// How many bytes are allocated, about.
        package var allocatedBytes: Int { bytes.capacity + positions.capacity * 4 / 3 * 8 }

        /// Appends a record. An earlier one with the same key is not found any more.
        ///
        /// - Parameter inMemoryFingerprint: of the action with its secrets; nil for that of the earlier record, if there is one.
        package mutating func append(_ record: IdempotencyRecord, inMemoryFingerprint: UInt64?) {
            let hash = Self.hash(record.key)
            let earlier = offset(of: record.key, hash)
            var inMemoryFingerprint = inMemoryFingerprint
            if let earlier {
                var head = head(at: earlier)
                if head.hasInMemoryFingerprint { inMemoryFingerprint = inMemoryFingerprint ?? head.inMemoryFingerprint }
                head.isReplaced = true
                set(head, at: earlier)
            } else {
                count += 1
            }
            let position = base &+ UInt32(truncatingIfNeeded: bytes.count)
            let head = Head(
                previous: positions[hash] ?? position, hash: hash, at: Int64(record.at),
                revision: Int64(record.revision ?? -1), fingerprint: record.fingerprint,
                inMemoryFingerprint: inMemoryFingerprint ?? 0, responseCount: UInt32(record.response.count),
                keyCount: UInt16(record.key.utf8.count), hasInMemoryFingerprint: inMemoryFingerprint != nil)
            reserve(head.totalCount)
            withUnsafeBytes(of: head) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: record.key.utf8)
            bytes.append(contentsOf: record.response)
            positions[hash] = position
        }

        /// The newest record with that key.
        package func find(_ key: String) -> (record: IdempotencyRecord, inMemoryFingerprint: UInt64?)? {
            guard let offset = offset(of: key, Self.hash(key)) else { return nil }
            let head = head(at: offset)
            let response = offset + Head.size + Int(head.keyCount)
            let record = IdempotencyRecord(
                key: key, fingerprint: head.fingerprint,
                response: Array(bytes[response..<(response + Int(head.responseCount))]),
                revision: head.revision < 0 ? nil : Int(head.revision), at: Int(head.at))
            return (record, head.hasInMemoryFingerprint ? head.inMemoryFingerprint : nil)
        }

        /// Removes the oldest records, up to the first from `moment` or later.
        package mutating func removeRecords(before moment: Int) {
            while start < bytes.count {
                let head = head(at: start)
                guard head.at < moment else { break }
                if !head.isReplaced { count -= 1 }
                if positions[head.hash] == base &+ UInt32(truncatingIfNeeded: start) { positions[head.hash] = nil }
                start += head.totalCount
            }
            if start == bytes.count, start > 0 {
                self = Records()
            } else if start > bytes.count / 4 {
                bytes.removeSubrange(..<start)
                base &+= UInt32(truncatingIfNeeded: start)
                start = 0
            }
        }

        /// The time of the record whose removal, with all before it, leaves fewer than a number of keys and of bytes;
        /// nil if none does.
        package func moment(whenBelow maxKeys: Int, _ maxBytes: Int) -> Int? {
            var (count, byteCount, offset) = (count, byteCount, start)
            while offset < bytes.count {
                let head = head(at: offset)
                if !head.isReplaced { count -= 1 }
                byteCount -= head.totalCount
                offset += head.totalCount
                if count < maxKeys, byteCount < maxBytes { return Int(head.at) }
            }
            return nil
        }

        private static func hash(_ key: String) -> UInt32 { UInt32(truncatingIfNeeded: key.hashValue) }

        private func offset(of key: String, _ hash: UInt32) -> Int? {
            guard var position = positions[hash] else { return nil }
            let key = Array(key.utf8)
            while true {
                // The difference wraps around to a large number if the record was removed.
                let offset = Int(position &- base)
                guard offset >= start, offset < bytes.count else { return nil }
                let head = head(at: offset)
                let first = offset + Head.size
                if Int(head.keyCount) == key.count, bytes[first..<(first + key.count)].elementsEqual(key) {
                    return offset
                }
                guard head.previous != position else { return nil }
                position = head.previous
            }
        }

        private func head(at offset: Int) -> Head {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Head.self) }
        }

        private mutating func set(_ head: Head, at offset: Int) {
            bytes.withUnsafeMutableBytes { $0.storeBytes(of: head, toByteOffset: offset, as: Head.self) }
        }

        /// Makes room for more bytes: a quarter more than there are, where an array would double.
        private mutating func reserve(_ more: Int) {
            let needed = bytes.count + more
            guard needed > bytes.capacity else { return }
            var larger: [UInt8] = []
            larger.reserveCapacity(max(needed, bytes.count + bytes.count / 4, 256))
            larger.append(contentsOf: bytes)
            bytes = larger
        }
    }
}
