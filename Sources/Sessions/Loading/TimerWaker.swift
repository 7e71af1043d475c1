import Locks
package import StoreHosting
import Stores

/// Loads the sessions whose timers are due, so that they fire although nobody asks for the session.
package final class TimerWaker: Sendable {
    private let registry: SessionRegistry
    private let loader: SessionLoader
    private let journal: any Journal
    private let clock: WallClock
    // Guards the decisions. Nothing is called while it is held.
    private let timers: Locked<DueTimers>

    package init(_ registry: SessionRegistry, _ loader: SessionLoader, _ journal: any Journal, clock: WallClock) {
        self.registry = registry
        self.loader = loader
        self.journal = journal
        self.clock = clock
        timers = Locked(DueTimers(isShared: journal.isShared))
    }

    /// Loads the sessions that are due, unless this is under way.
    ///
    /// - Parameter isStopped: whether to give up.
    package func wake(unless isStopped: () -> Bool) async {
        while !isStopped(), let query = timers.withLock({ $0.begin(now: clock.now()) }) {
            let found = try? await journal.dueSessions(after: query.after, until: query.until, limit: query.limit)
            let sessions = found ?? []
            let due = timers.withLock { $0.found(sessions) }
            await withDiscardingTaskGroup { group in
                for session in due { group.addTask { await self.load(session) } }
            }
            let hasRoom = registry.hasRoom
            guard timers.withLock({ $0.end(found: sessions.count, hasRoom: hasRoom) }) else { return }
        }
    }

    private func load(_ session: DueSession) async {
        guard let id = SessionID(session.id.utf8), registry.resident(id) == nil else { return }
        let found: SessionLoader.Found
        do throws(SessionFailure) {
            found = .success(try await loader.load(id))
        } catch {
            found = .failure(error)
        }
        timers.withLock { $0.loaded(session.id, found) }
    }
}
