import Foundation
import JSON
import StoreHosting
import StoreKinds
import StorehouseClient
import Stores

/// The time of all threads on a processor, in nanoseconds.
private func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// The processor time of something, in nanoseconds.
@MainActor
private func nanoseconds(_ body: @MainActor () async throws -> Void) async rethrows -> Double {
    let begin = processorTime()
    try await body()
    return processorTime() - begin
}

private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

// ---- An action and its event

/// Increments of a store with the kind `app`, one after the other, each until the confirmed state contains it.
@MainActor
func measureActions(_ count: Int) async throws -> [String: Double] {
    guard let url = ProcessInfo.processInfo.environment["STOREHOUSE_URL"] else { fatalError("set STOREHOUSE_URL") }
    let store = RemoteStore(App.store, at: url, session: .id(ClientEnvironment.randomID()), creates: true)
    guard let coded = App.store.clientCoding.coded(["type": "counter/increment"], by: .anonymous, at: 0) else {
        fatalError("the kind has no increment")
    }
    let batch = max(1, count / 5)
    func send() async throws {
        for _ in 0..<batch { try await store.send(coded.action).confirmed }
    }
    try await send()
    var took: [Double] = []
    for _ in 0..<5 { took.append(try await nanoseconds(send) / Double(batch)) }
    store.close()
    return ["milliseconds": median(took) / 1e6]
}

// ---- Patches

/// A state of the kind `app` with 1000 tasks, and 1000 patches of a title each; a view reads the state after each read of the stream.
@MainActor
func measurePatches(_ count: Int) async throws -> [String: Double] {
    var numbers: [String: Double] = [:]
    for perRead in [50, 1] {
        let rounds = max(1, count * perRead / 50)
        var took: [Double] = []
        for _ in 0..<2 * rounds { took.append(try await patches(perRead)) }
        numbers["by\(perRead)"] = median(Array(took[rounds...])) / 1e6
    }
    return numbers
}

@MainActor
private func patches(_ perRead: Int) async throws -> Double {
    let coding = App.store.clientCoding
    var app = App()
    for number in 1...1000 {
        let body: JSONValue = ["type": "tasks/add", "payload": ["title": .string("title \(number)")]]
        guard let coded = coding.coded(body, by: .anonymous, at: 0) else { fatalError("the kind has no tasks") }
        _ = coding.apply(coded.action, to: &app)
    }
    let server = FedServer()
    let store = RemoteStore(App.store, at: "http://host", session: .id("any"), transport: server)
    await server.begin(try JSONValue(parsing: coding.encode(app)), kind: "app", version: coding.version)
    let reads = stride(from: 1, through: 1000, by: perRead).map { first in
        (first..<first + perRead).flatMap { revision in
            FedServer.patch(
                revision, "/tasks/entities/\(revision * 7919 % 1000 + 1)/title", .string("changed \(revision)"))
        }
    }
    var seen = 0
    store.onChange = { [unowned store] in seen += store.state.planner.tasks.table.count }
    let time = await nanoseconds { for read in reads { server.feed(read) } }
    guard store.revision == 1000, seen == 1000 * reads.count else { fatalError("the view has not seen all patches") }
    store.close()
    return time
}

// ---- A small state

private struct Tally {
    var count = 0
    var title = "A tally"
}

private let add = Action<Tally, Int>("add", "Adds to the count.", .integer("step", 1...100)) { tally, step in
    tally.count += step
}

private let tally = StoreDefinition("tally", "A count with a title.", Tally()) {
    Member("count", \.count)
    Member("title", \.title)
    add
}

@MainActor
private func fedStore() async throws -> (FedServer, RemoteStore<Tally>) {
    let server = FedServer()
    let store = RemoteStore(tally, at: "http://host", session: .id("any"), transport: server)
    let state: JSONValue = ["count": 0, "title": "A tally"]
    await server.begin(state, kind: "tally", version: tally.clientCoding.version)
    return (server, store)
}

/// Each event of another client makes the pending entries anew: 20, and none for comparison.
@MainActor
func measureRebase(_ count: Int) async throws -> [String: Double] {
    var numbers: [String: Double] = [:]
    for pending in [0, 20] {
        let (server, store) = try await fedStore()
        for _ in 0..<pending { store.send(add(3)) }
        var revision = 0
        func events() -> [[UInt8]] {
            (0..<count).map { _ in
                revision += 1
                return FedServer.patch(revision, "/title", .string("title \(revision)"))
            }
        }
        var took: [Double] = []
        for _ in 0..<6 {
            let events = events()
            took.append(await nanoseconds { for event in events { server.feed(event) } } / Double(count) / 1000)
        }
        guard store.revision == revision, store.count == 3 * pending else { fatalError("the entries are not shown") }
        numbers["event\(pending)"] = median(Array(took[1...]))
        store.close()
    }
    return numbers.merging(["rebase": numbers["event20", default: 0] - numbers["event0", default: 0]]) { $1 }
}

/// The memory of the process after a tenth of the events, and what it has grown by after all of them.
@MainActor
func measureMemory(_ count: Int) async throws -> [String: Double] {
    let (server, store) = try await fedStore()
    var early = 0.0
    for revision in 1...count {
        server.feed(FedServer.patch(revision, "/count", .integer(revision)))
        if revision % 1000 == 0 { await Task.yield() }
        if revision == count / 10 { early = residentMegabytes() }
    }
    guard store.count == count else { fatalError("events are missing") }
    return ["earlyMegabytes": early, "growthMegabytes": residentMegabytes() - early]
}

private func residentMegabytes() -> Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return (line?.split(separator: " ").dropLast().last).flatMap { Double($0) }.map { $0 / 1024 } ?? .nan
}
