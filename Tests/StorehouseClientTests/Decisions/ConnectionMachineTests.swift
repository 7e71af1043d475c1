import StorehouseClient
import Testing

@Suite struct ConnectionMachineTests {
    private var machine = ConnectionMachine { 0.5 }

    private mutating func goLive(at time: Double = 0) {
        machine.step(.start, at: time)
        machine.step(.bytes, at: time)
        machine.step(.ready(heartbeat: 15_000), at: time)
    }

    @Test mutating func `a stream is live when it is ready, and not before`() {
        machine.step(.start, at: 0)
        #expect(machine.stream == 1)
        machine.step(.bytes, at: 1)
        #expect(machine.status == .connecting)
        machine.step(.ready(heartbeat: 15_000), at: 1)
        #expect(machine.status == .live)
        #expect(machine.wake == 15_001)
    }

    @Test mutating func `going on without a state is a loss`() {
        machine.step(.start, at: 0)
        machine.step(.again, at: 0)
        #expect(machine.stream == 2)
        machine.step(.again, at: 0)
        #expect(machine.stream == 0)
        #expect(machine.wake == 500)
        machine.step(.tick, at: 500)
        machine.step(.again, at: 500)
        #expect(machine.wake == 1500)
    }

    @Test mutating func `a loss becomes offline after five seconds`() {
        goLive()
        machine.step(.lost(retry: 0, atLeast: 8000), at: 100)
        #expect(machine.status == .reconnecting)
        machine.step(.tick, at: 5099)
        #expect(machine.status == .reconnecting)
        machine.step(.tick, at: 5100)
        #expect(machine.status == .offline)
        #expect(machine.since == 100)
        #expect(machine.wake == 8100)
    }

    @Test mutating func `two and a half heartbeats without a byte are a loss`() {
        goLive()
        for time in stride(from: 15_000.0, through: 30_000, by: 15_000) { machine.step(.tick, at: time) }
        machine.step(.tick, at: 37_499)
        #expect(machine.stream == 1)
        machine.step(.tick, at: 37_500)
        #expect(machine.stream == 0)
        #expect(machine.status == .reconnecting)
    }

    @Test mutating func `a head that never comes is a loss after ten seconds`() {
        machine.step(.start, at: 0)
        machine.step(.tick, at: 9999)
        #expect(machine.stream == 1)
        machine.step(.tick, at: 10_000)
        #expect(machine.stream == 0)
    }

    @Test mutating func `attempts grow apart, with a limit`() {
        machine.step(.start, at: 0)
        var waits: [Double] = []
        var time = 0.0
        for _ in 0..<8 {
            machine.step(.lost(retry: 0, atLeast: 0), at: time)
            while machine.stream == 0 {
                time = machine.wake
                machine.step(.tick, at: time)
            }
            waits.append(time)
        }
        let gaps = zip(waits, [0] + waits).map { $0 - $1 }
        #expect(gaps == [500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000])
    }

    @Test mutating func `the count falls after ten seconds of live, and not before`() {
        goLive()
        machine.step(.lost(retry: 0, atLeast: 0), at: 100)
        machine.step(.tick, at: 600)
        machine.step(.bytes, at: 600)
        machine.step(.ready(heartbeat: nil), at: 600)
        machine.step(.lost(retry: 0, atLeast: 0), at: 700)
        #expect(machine.wake == 1700)
        machine.step(.tick, at: 1700)
        machine.step(.bytes, at: 1700)
        machine.step(.ready(heartbeat: nil), at: 1700)
        machine.step(.lost(retry: 0, atLeast: 0), at: 11_700)
        #expect(machine.wake == 12_200)
    }

    @Test mutating func `the server's wish to be left alone is a lower bound`() {
        goLive()
        machine.step(.lost(retry: 0, atLeast: 20_000), at: 0)
        machine.step(.poke, at: 100)
        machine.step(.tick, at: 5000)
        #expect(machine.wake == 20_000)
    }

    @Test mutating func `a rotated stream is replaced at once, but not more than once a second`() {
        goLive()
        machine.step(.closed(reason: "rotated", retry: 0), at: 5000)
        #expect(machine.stream == 2)
        machine.step(.closed(reason: "rotated", retry: 0), at: 5100)
        #expect(machine.stream == 0)
        #expect(machine.wake == 6000)
    }

    @Test(arguments: ["session-ended", "revoked"])
    mutating func `some ends are final`(reason: String) {
        goLive()
        machine.step(.closed(reason: reason, retry: 0), at: 1)
        #expect(machine.status == .ended(reason))
        machine.step(.poke, at: 5000)
        #expect(machine.stream == 0)
        #expect(machine.wake == .infinity)
    }

    @Test mutating func `without a network it is offline at once, and tries again with it`() {
        goLive()
        machine.step(.offline, at: 100)
        #expect(machine.status == .offline)
        machine.step(.online, at: 2000)
        #expect(machine.stream == 2)
    }

    @Test mutating func `a stream that was frozen is dropped without asking`() {
        goLive()
        machine.step(.bytes, at: 3_600_000)
        #expect(machine.stream == 2)
        #expect(machine.status == .reconnecting)
    }

    @Test mutating func `without a token nothing is tried until there is one`() {
        goLive()
        machine.step(.unauthorized, at: 5000)
        #expect(machine.status == .unauthorized)
        #expect(machine.wake == .infinity)
        machine.step(.poke, at: 6000)
        #expect(machine.stream == 0)
        machine.step(.renewed, at: 7000)
        #expect(machine.stream == 2)
    }
}
