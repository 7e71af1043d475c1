import JSON
import Locks
import Observability
import Sessions
import StorehouseServer
import Testing

/// When the server refuses to grow.
@Suite struct MemoryGaugeTests {
    private static func gauge(_ resident: Int, _ addressSpace: Int = .max) -> MemoryGauge {
        MemoryGauge(limit: MemoryUse(resident: resident, addressSpace: addressSpace))
    }

    @Test func nothingIsRefusedWithoutALimit() {
        var gauge = Self.gauge(.max)
        #expect(!gauge.isLimited)
        gauge.update(MemoryUse(resident: 1 << 40, addressSpace: 1 << 45))
        #expect(!gauge.isExhausted)
        #expect(gauge.admits(1 << 50, beyond: MemoryUse(resident: 1 << 40, addressSpace: 1 << 45)))
    }

    @Test func theLimitIsReachedAtOnceAndLeftALittleBelow() {
        var gauge = Self.gauge(1000)
        var states: [Bool] = []
        for resident in [999, 1000, 999, 951, 949, 999] {
            gauge.update(MemoryUse(resident: resident, addressSpace: 0))
            states.append(gauge.isExhausted)
        }
        #expect(states == [false, true, true, true, false, false])
    }

    @Test func addressSpaceIsLimitedToo() {
        var gauge = Self.gauge(.max, 1000)
        #expect(gauge.isLimited)
        gauge.update(MemoryUse(resident: 10, addressSpace: 1000))
        #expect(gauge.isExhausted)
        gauge.update(MemoryUse(resident: 10, addressSpace: 900))
        #expect(!gauge.isExhausted)
        #expect(gauge.admits(100, beyond: MemoryUse(resident: 10, addressSpace: 900)))
        #expect(!gauge.admits(101, beyond: MemoryUse(resident: 10, addressSpace: 900)))
    }

    @Test func moreIsAdmittedOnlyIfItFits() {
        var gauge = Self.gauge(1000)
        let use = MemoryUse(resident: 600, addressSpace: 0)
        #expect(gauge.admits(400, beyond: use))
        #expect(!gauge.admits(401, beyond: use))
        gauge.update(MemoryUse(resident: 1000, addressSpace: 0))
        #expect(!gauge.admits(0, beyond: use))
    }

    /// Small actions may use an eighth more.
    @Test func theReserveEndsAboveTheLimitAndIsFreeAgainBelowIt() {
        var gauge = Self.gauge(1000)
        var states: [Bool] = []
        for resident in [1000, 1124, 1125, 1124, 1000, 999, 1124] {
            gauge.update(MemoryUse(resident: resident, addressSpace: 0))
            states.append(gauge.isReserveExhausted)
        }
        #expect(states == [false, false, true, true, true, false, false])
    }

    /// The timer that calls `update()` logs each change, so no other call may change the decision.
    @Test func onlyAnUpdateDecidesThatTheLimitIsReached() {
        let resident = Locked(1000)
        let memory = MemoryLimit(MemoryUse(resident: 1000, addressSpace: .max)) {
            MemoryUse(resident: resident.withLock { $0 }, addressSpace: 0)
        }
        #expect(throws: SessionFailure.self) { try memory.requireRoom(for: 1) }
        #expect(!memory.isExhausted)
        memory.update()
        #expect(memory.isExhausted)
        resident.withLock { $0 = 100 }
        #expect(throws: SessionFailure.self) { try memory.requireRoom(for: 1) }
        memory.update()
        #expect(throws: Never.self) { try memory.requireRoom(for: 900) }
    }

    @Test func buffersMayTakeAQuarterOfTheLimitEach() {
        let memory = MemoryLimit(MemoryUse(resident: 1000, addressSpace: .max)) { nil }
        #expect(memory.bufferLimit(249) == 249)
        #expect(memory.bufferLimit(1 << 28) == 250)
        let unlimited = MemoryLimit(MemoryUse(resident: .max, addressSpace: .max)) { nil }
        #expect(unlimited.bufferLimit(1 << 28) == 1 << 28)
    }

    @Test func smallBodiesFindRoomUntilTheReserveIsUsedUp() {
        let resident = Locked(0)
        let memory = MemoryLimit(MemoryUse(resident: 1000, addressSpace: .max)) {
            MemoryUse(resident: resident.withLock { $0 }, addressSpace: 0)
        }
        func rooms(at use: Int) -> [Bool] {
            resident.withLock { $0 = use }
            memory.update()
            return [1024, 1025].map { memory.hasRoom(forBodyOf: $0) }
        }
        #expect(rooms(at: 999) == [true, true])
        #expect(rooms(at: 1000) == [true, false])
        #expect(rooms(at: 1125) == [false, false])
        #expect(rooms(at: 100) == [true, true])
    }

    @Test(
        arguments: [
            (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "1048576\n"], 1_048_576),
            (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n"], nil),
            (
                [
                    "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
                    "/sys/fs/cgroup/a/memory.max": "4096\n", "/sys/fs/cgroup/memory.max": "8192\n",
                ], 4096
            ),
            (
                [
                    "/proc/self/cgroup": "3:cpu,memory:/docker/x\n1:name=systemd:/\n",
                    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "2048\n",
                ], 2048
            ),
            (
                [
                    "/proc/self/cgroup": "3:memory:/\n",
                    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
                ], nil
            ),
            ([:], nil),
        ] as [([String: String], Int?)])
    func theLimitOfTheControlGroupIsRead(_ files: [String: String], _ limit: Int?) {
        #expect(ProcessMemory.controlGroupLimit { files[$0] } == limit)
    }

    #if os(Linux)
        @Test func theMemoryOfTheProcessIsRead() throws {
            let reading = try #require(ProcessMemory.read())
            #expect(reading.resident > 1 << 20)
            #expect(reading.addressSpace > reading.resident)
        }
    #endif
}

/// When memory that became free is returned to the system.
@Suite struct MemoryReleaseTests {
    private static let some = MemoryRelease.minBytes

    @Test func muchThatBecameFreeIsReturnedOnce() {
        var release = MemoryRelease()
        let uses = [
            (3 * Self.some, 3 * Self.some), (3 * Self.some, 2 * Self.some + 1), (2 * Self.some + 1, 2 * Self.some),
            (2 * Self.some, 2 * Self.some), (2 * Self.some, 0),
        ]
        #expect(uses.map { release.update(peak: $0, held: $1) } == [false, false, true, false, true])
    }

    @Test func aPeakBetweenTwoLooksCounts() {
        var release = MemoryRelease()
        #expect([Self.some, Self.some - 1].map { release.update(peak: $0, held: 0) } == [true, false])
    }
}

/// A server that has no memory left refuses to grow, and goes on with the rest.
@Suite struct MemoryLimitTests {
    @Test func growthIsRefusedUntilThereIsMemoryAgain() async throws {
        let resident = Locked(0)
        let limit = 1_000_000_000
        let memory = MemoryLimit(.init(resident: limit, addressSpace: .max)) {
            .init(resident: resident.withLock { $0 }, addressSpace: 0)
        }
        try await LiveServer.run(memory: memory) { server in
            let session = try await server.session()
            let doomed = try await server.session()
            let large = try await server.session("planner")
            let task: JSONValue = [
                "type": "tasks/add", "payload": ["title": .string(String(repeating: "x", count: 400))],
            ]
            for _ in 1...2 { #expect(try await large.post(.array(Array(repeating: task, count: 100))).status == 200) }
            let edit = large.request("tasks/edit", ["id": 1, "title": "y"])
            #expect(try await server.send(edit).status == 200)
            _ = try await session.increment()
            let events = try await session.events()
            _ = try await events.state()
            // An action that may copy a large state is refused a little before.
            resident.withLock { $0 = limit - 100_000 }
            #expect(try await server.send(edit).code == "overloaded")
            resident.withLock { $0 = limit }
            let padded = Array((#"{"type":"counter/increment"}"# + String(repeating: " ", count: 1000)).utf8)
            _ = try await server.eventually(TestRequest("POST", "/sessions")) { $0.status == 503 }
            for request in [
                TestRequest("POST", "/sessions"), TestRequest("POST", session.path + "/forks"),
                TestRequest("POST", session.path + "/actions", [("Content-Type", "application/json")], body: padded),
                edit,
            ] {
                let response = try await server.send(request)
                #expect(response.code == "overloaded")
                #expect(response["retry-after"] == "30")
            }
            // A small action goes on, until the reserve is used up too.
            #expect(try await session.increment().status == 200)
            resident.withLock { $0 = limit / 8 * 9 }
            let refused = try await server.eventually(session.request("tasks/favorite", ["id": 1])) { $0.status == 503 }
            #expect(refused.code == "overloaded" && refused["retry-after"] == "30")
            #expect(try await session.state("/counter/count") == 2)
            #expect(try await session.read("/state?revision=0").at("/state/counter/count") == 0)
            #expect(try await session.read("/actions").status == 200)
            #expect(try await server.get("/readyz").status == 200)
            #expect(try await doomed.delete().status == 204)
            let late = try await session.events()
            #expect(try await late.state().revision == 2)
            resident.withLock { $0 = 500 }
            _ = try await events.state()
            _ = try await server.eventually(session.request("counter/increment")) { $0.status == 200 }
            #expect(try await events.state().revision == 3)
            #expect(try await server.post(session.path + "/forks", json: [:]).status == 201)
            try await server.log.line(with: "memory limit reached")
        }
    }
}

#if os(Linux)
    /// A client that takes all the memory it can get.
    @Suite(.timeLimit(.minutes(10)), .serialized) struct MemoryProcessTests {
        private static let megabyte = 1 << 20
        private static let large = [
            "STOREHOUSE_HTTP_MAX_BODY_BYTES": "262144", "STOREHOUSE_SESSIONS_MAX_STATE_BYTES": "268435456",
        ]
        private static let batch: JSONValue = .array(
            (0..<100).map { _ in
                ["type": "tasks/add", "payload": ["title": .string(String(repeating: "x", count: 500))]]
            })

        /// A session whose state has about so many bytes; nil if the server refuses before.
        private static func session(_ client: TestClient, bytes: Int) async throws -> String? {
            let created = try await client.exchange(TestRequest("POST", "/sessions", json: ["store": "planner"]))
            guard let path = created["location"] else { return nil }
            for _ in 0..<(bytes / 55_000) {
                let response = try await client.exchange(
                    TestRequest("POST", path + "/actions", [("Prefer", "return=minimal")], json: batch))
                guard response.status == 204 else {
                    #expect(response.code == "overloaded")
                    return nil
                }
            }
            return path
        }

        @Test func aServerWithAMemoryLimitStaysBelowIt() async throws {
            // The memory that the program takes by itself, which is more with a sanitizer.
            let base = try await ServerProcess.run { server in
                _ = try await server.sessionPath()
                return try server.residentBytes
            }
            // So little that it is soon taken, and much more than a session takes.
            let limit = base + 24 * Self.megabyte
            let settings = Self.large.merging(["STOREHOUSE_MEMORY_LIMIT": "\(limit)"]) { $1 }
            try await ServerProcess.run(settings) { server in
                let client = try server.client()
                let first = try #require(try await Self.session(client, bytes: 100_000))
                var refused = false
                for _ in 0..<200 where !refused {
                    refused = try await Self.session(client, bytes: Self.megabyte) == nil
                }
                #expect(refused)
                // It stays where it is, and serves what takes nothing.
                let isSanitized = try server.isSanitized
                if !isSanitized { #expect(try server.mostResidentBytes < limit + 32 * Self.megabyte) }
                #expect(try await client.exchange(TestRequest("GET", first + "/state")).status == 200)
                #expect(try await client.exchange(TestRequest("DELETE", first)).status == 204)
            }
        }

        /// Bodies that never arrive completely: each of them holds most of its length.
        @Test func unfinishedBodiesStayBelowTheInputBudgetAndTheirMemoryIsReturned() async throws {
            let settings = [
                "STOREHOUSE_HTTP_MAX_BODY_BYTES": "1048576", "STOREHOUSE_MEMORY_LIMIT": "\(1 << 40)",
                "STOREHOUSE_HTTP_INPUT_BUDGET": "\(32 * Self.megabyte)",
            ]
            try await ServerProcess.run(settings) { server in
                let path = try await server.sessionPath()
                let before = try server.residentBytes
                let start = "POST \(path)/actions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
                let part = Array(start.utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 990_000)
                var clients: [TestClient] = []
                for _ in 0..<200 {
                    let client = try server.client()
                    // The server may have cut it before it has sent everything.
                    try? await client.send(part)
                    clients.append(client)
                }
                // The first one was the oldest.
                #expect(try await clients[0].response().code == "overloaded")
                let action = TestRequest("POST", path + "/actions", json: ["type": "counter/increment"])
                #expect(try await server.client().exchange(action).status == 200)
                guard try !server.isSanitized else { return }
                // Half more than the budget: what has come in one turn of the loops is cut in the next.
                #expect(try server.mostResidentBytes - before < 100 * Self.megabyte)
                clients = []
                try await waitUntil { try server.residentBytes - before < 16 * Self.megabyte }
            }
        }

        @Test func forksOfALargeStateDoNotEndTheServer() async throws {
            let isSanitized = try await ServerProcess.run { try $0.isSanitized }
            // A sanitizer reserves more address space than that for itself.
            try await ServerProcess.run(addressSpace: isSanitized ? nil : 1 << 30, Self.large) { server in
                let client = try server.client()
                let path = try #require(
                    try await Self.session(client, bytes: isSanitized ? 220_000 : 5 * Self.megabyte))
                let before = try server.residentBytes
                for _ in 0..<32 {
                    #expect(try await client.exchange(TestRequest("POST", path + "/forks")).status == 201)
                }
                // The forks share one state: without that, each takes 20 MB.
                if !isSanitized { #expect(try server.residentBytes - before < 160 * Self.megabyte) }
                // Each action makes the next fork one of another state.
                for _ in 0..<32 {
                    let action = TestRequest(
                        "POST", path + "/actions", [("Prefer", "return=minimal")],
                        json: ["type": "tasks/add", "payload": ["title": "x"]])
                    _ = try await client.exchange(action)
                    let response = try await client.exchange(TestRequest("POST", path + "/forks"))
                    #expect(response.status == 201 || response.code == "overloaded")
                }
                #expect(
                    try await client.exchange(TestRequest("GET", path + "/state?select=/tasks/ids/0")).status == 200)
            }
        }
    }
#endif
