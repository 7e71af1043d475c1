import Foundation
import Locks
import RemoteStoreTesting
import StoreHosting
import StorehouseClient
import Testing

/// Nothing is left of a store that nobody holds any more.
@MainActor @Suite struct LeakTests {
    private let server = ScriptedServer(seats)

    @Test func `no stream, no timer and no object is left of a live store`() async {
        let core = Weak(server.store().core)
        await expectNothing(of: core)
    }

    @Test func `no task is left of a store that waits for an answer`() async {
        server.answers = .held
        var store: RemoteStore<Hall>? = server.store()
        let sent = store?.send(book("Ada"))
        await server.until { server.requestCount == 1 }
        let core = Weak(store?.core)
        store = nil
        await expectNothing(of: core)
        await #expect(throws: ConnectionEnded.self) { try await sent?.confirmed }
        await server.until { server.heldCount == 0 }
    }

    @Test func `no task is left of a store that waits for a token`() async {
        let ended = Promise<Void>()
        var store: RemoteStore<Hall>? = server.store(token: { _ in
            defer { ended.fulfill(()) }
            try await Task.sleep(for: .seconds(1_000_000))
            return nil
        })
        #expect(store?.connection.status == .connecting)
        let core = Weak(store?.core)
        store = nil
        await ended.value()
        await expectNothing(of: core)
    }

    @Test func `no timer is left of a store that waits for its next attempt`() async {
        var store: RemoteStore<Hall>? = server.store()
        server.isOnline = false
        #expect(store?.connection.status == .offline)
        let core = Weak(store?.core)
        store = nil
        await expectNothing(of: core)
    }

    @Test func `whoever reads the states of a store comes to their end`() async {
        var store: RemoteStore<Hall>? = server.store()
        let states = store?.states
        store = nil
        var last: Hall?
        for await state in states ?? AsyncStream(unfolding: { nil }) { last = state }
        #expect(last == Hall())
    }

    @Test func `no file is left open of a store with an outbox on disk`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "leak-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var store: RemoteStore<Hall>? = server.store(storage: .file(folder))
        try await store?.send(book("Ada")).confirmed
        #expect(openFiles(below: folder) > 0)
        let core = Weak(store?.core)
        store = nil
        await expectNothing(of: core)
        await server.until { openFiles(below: folder) == 0 }
    }

    /// A store that closes has one turn of the main actor for it.
    private func expectNothing(of core: Weak<ClientCore>) async {
        await server.until { core.object == nil && server.clock.timerCount == 0 && server.streamCount == 0 }
    }

    private func openFiles(below folder: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target?.hasPrefix(folder) == true
        }
    }
}
