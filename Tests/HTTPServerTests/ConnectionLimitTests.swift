import HTTPServer
import Testing

/// Which connections are accepted at the limit.
@Suite struct ConnectionLimitTests {
    private let alone = ConnectionLimit(10, provisional: 4)
    private let node = ConnectionLimit(10, reserve: 3, provisional: 128)

    @Test func belowTheLimitEachConnectionIsAdmitted() {
        for limit in [alone, node, ConnectionLimit()] {
            for provisional in [0, 128] {
                #expect(limit.admission(admitted: 0, provisional: provisional) == .admitted)
                #expect(limit.admission(admitted: 9, provisional: provisional) == .admitted)
            }
        }
    }

    @Test func atTheLimitAConnectionIsProvisional() {
        #expect(ConnectionLimit(10).admission(admitted: 10, provisional: 0) == .full)
        #expect(alone.admission(admitted: 10, provisional: 3) == .provisional)
        #expect(alone.admission(admitted: 10, provisional: 4) == .insteadOfOldest)
        #expect(alone.admission(admitted: 10, provisional: 4, oldestMayGo: false) == .full)
        #expect(node.admission(admitted: 10, provisional: 0) == .provisional)
        #expect(node.admission(admitted: 12, provisional: 127) == .provisional)
        #expect(node.admission(admitted: 12, provisional: 128, oldestMayGo: false) == .insteadOfOldest)
    }

    @Test func atTheEndOfTheReserveConnectionsAreProvisional() {
        #expect(node.admission(admitted: 13, provisional: 0) == .provisional)
        #expect(node.admission(admitted: 14, provisional: 128) == .insteadOfOldest)
    }

    @Test func requestsBeyondTheLimitWaitOnAServerThatIsAloneAndAreRefusedByANode() {
        #expect(alone.holdsBack)
        #expect(!node.holdsBack)
    }

    @Test func aProvisionalConnectionStaysForAnotherServerOrIfThereIsRoom() {
        #expect(node.admitsRequest(toReserve: false, admitted: 9))
        #expect(!node.admitsRequest(toReserve: false, admitted: 10))
        #expect(node.admitsRequest(toReserve: true, admitted: 12))
        #expect(!node.admitsRequest(toReserve: true, admitted: 13))
        #expect(!alone.admitsRequest(toReserve: true, admitted: 10))
    }
}
