import Cluster
import ClusterSimulation
import Testing

/// Expects two values to be equal. The macro cannot call what changes a value.
func expect<Value: Equatable>(_ value: Value, _ expected: Value, at location: SourceLocation = #_sourceLocation) {
    #expect(value == expected, sourceLocation: location)
}

extension NodeLease {
    /// The request that has to be due.
    mutating func requireRequest(now: Int) throws -> Request {
        let request = nextRequest(now: now)
        return try #require(request)
    }
}

extension SessionDirectory {
    /// Claims a session that can be claimed.
    mutating func requireClaim(_ id: ID) throws -> Claim {
        let claim = claim(id)
        return try #require(claim)
    }

    /// Claims a session, and takes the answer.
    mutating func find(_ id: ID, _ found: Found) throws {
        let isTaken = take(found, for: try requireClaim(id))
        #expect(isTaken)
    }
}
