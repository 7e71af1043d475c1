import Stores

extension KeptAnswer {
    /// Its columns, as far as a statement selects them.
    static let columns = "key, fingerprint, answer, at, checksum"

    /// Reads a row of ``columns``; nil where it is not as it was written.
    init?(_ row: borrowing Row) {
        self.init(key: row.text(0), fingerprint: row.checksum(1), answer: row.bytes(2), at: row.integer(3))
        guard checksum == row.checksum(4) else { return nil }
    }

    var checksum: UInt64 {
        var checksum = Checksum(0)
        checksum.add(key)
        checksum.add(fingerprint)
        checksum.add(answer)
        checksum.add(at)
        return checksum.value
    }
}
