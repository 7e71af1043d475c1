import StoreHosting

extension SessionHeader {
    package var checksum: UInt64 {
        var checksum = Checksum(initial.checksum)
        checksum.add(id)
        checksum.add(kind)
        checksum.add(schema)
        checksum.add(createdAt)
        checksum.add(forkedFrom)
        checksum.add(historyID)
        // Without an owner it is the checksum of version 3, and no session is personal.
        if let owner { checksum.add(owner.text) }
        if owner != nil || isPersonal { checksum.add(isPersonal ? 1 : 0) }
        return checksum.value
    }
}

extension StateSnapshot {
    package var checksum: UInt64 {
        var checksum = Checksum(0)
        checksum.add(json)
        checksum.add(privateState)
        return checksum.value
    }
}

extension IdempotencyRecord {
    package var checksum: UInt64 {
        var checksum = Checksum(0)
        checksum.add(key)
        checksum.add(fingerprint)
        checksum.add(response)
        checksum.add(at)
        // Rows of older files have no revision, and a checksum without it.
        if let revision { checksum.add(revision) }
        return checksum.value
    }
}

extension ClientRow {
    package var checksum: UInt64 {
        var checksum = Checksum(0)
        checksum.add(mark)
        checksum.add(content)
        return checksum.value
    }
}

extension PermitRecord {
    package var checksum: UInt64 {
        var checksum = Checksum(0)
        checksum.add(id)
        checksum.add(content)
        return checksum.value
    }
}
