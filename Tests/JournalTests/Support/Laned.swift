import Dispatch
import Journal
import Locks
import RedisJournal
import RedisTesting
import Sockets
import StoreHosting
import Testing
import Threads

/// A journal with two event loops, each of which has a lane.
struct Laned: Sendable {
    let server: RedisServer
    let journal: RedisJournal
    let group: EventLoopGroup
    var loops: [any EventLoop] { group.loops }

    init(
        _ server: RedisServer? = nil, at address: RedisAddress? = nil, timeouts: RedisTimeouts = .long,
        report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) async throws {
        self.server = try server ?? RedisServer()
        journal = try self.server.open(at: address, timeouts: timeouts, report: report)
        group = try EventLoopGroup(count: 2)
        journal.use(group.loops)
        try await areOpen()
    }

    func areOpen() async throws { try await eventually { journal.laneCount == loops.count } }

    func end() async {
        await journal.closed()
        await group.stop()
    }

    /// Commits on one loop after the other, as often as a session can be loaded.
    ///
    /// - Returns: the newest revision that was acknowledged.
    func commit(to id: String, until isOver: () -> Bool) async throws -> Int {
        var newest = 0
        while !isOver() {
            guard let found = try? await journal.session(id) else {
                try await Task.sleep(for: .milliseconds(1))
                continue
            }
            var revision = found.summary.revision
            #expect(revision >= newest)
            let store = Step.store(found.journal, from: revision)
            while !isOver() {
                let loop = loops[revision % loops.count]
                await loop.run { store.step() }
                guard await found.journal.awaitDurable() == nil else { break }
                revision += 1
                newest = revision
            }
        }
        return newest
    }
}

extension EventLoop {
    /// Runs something on the loop.
    func run(_ body: @escaping @Sendable () -> Void) async {
        await Promise.value { done in
            execute {
                body()
                done(())
            }
        }
    }

    /// Runs something on the loop, and keeps the loop busy until a gate is opened.
    func keepBusy(_ body: @escaping @Sendable () -> Void) async -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        await Promise.value { done in
            execute {
                body()
                done(())
                gate.wait()
            }
        }
        return gate
    }
}
