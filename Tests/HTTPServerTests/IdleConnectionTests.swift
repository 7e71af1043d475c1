import HTTP
import HTTPServer
import Testing

/// Which connections are closed for new ones at the limit.
@Suite struct IdleConnectionTests {
    private func connection(_ client: UInt32, idle seconds: Int?) -> IdleConnection {
        IdleConnection(client: IPAddress(ipv4: client), idleTime: seconds.map { .seconds($0) })
    }

    @Test func theClientWithMostConnectionsLosesThoseThatAreIdleLongest() {
        let connections = [
            connection(1, idle: 50), connection(2, idle: 3), connection(2, idle: 9), connection(2, idle: 5),
            connection(1, idle: 60), connection(2, idle: 4),
        ]
        #expect(IdleConnection.choose(from: connections) == [2, 3])
    }

    @Test func aConnectionInUseIsNeverClosed() {
        let connections = [
            connection(2, idle: nil), connection(2, idle: nil), connection(2, idle: nil), connection(1, idle: 2),
            connection(3, idle: 7),
        ]
        #expect(IdleConnection.choose(from: connections) == [4])
        #expect(IdleConnection.choose(from: Array(connections.prefix(3))) == [])
        #expect(IdleConnection.choose(from: []) == [])
    }

    @Test func aNewConnectionHasTimeToSendItsRequest() {
        #expect(IdleConnection.choose(from: [connection(1, idle: 0), connection(1, idle: 0)]) == [])
    }

    @Test func onlySomeAreClosedAtOnce() {
        let connections = (1...1000).map { connection(7, idle: $0) }
        #expect(IdleConnection.choose(from: connections) == Array((936..<1000).reversed()))
    }
}
