import Dispatch
import HTTPServer
import JSON
import Locks
import Observability
import Sessions
import Sockets
import StoreHosting
import Threads

// The work that a server repeats until it drains.
extension RunningServer {
    /// - Parameters:
    ///   - sweepInterval: in milliseconds.
    ///   - publicKeys: nil if the keys of tokens are in no files.
    func beginUpkeep(sweepInterval: Int, _ publicKeys: PublicKeyFiles?) {
        // Not on the loop: thousands of sessions may expire or hibernate at once, while requests wait.
        let maintenance = DispatchQueue(label: "sessions.maintenance")
        every(.milliseconds(sweepInterval)) { api in
            maintenance.async {
                api.registry.sweep()
                api.logExpirations()
            }
        }
        if api.journal?.outlivesProcess == true {
            every(.milliseconds(500)) { api in maintenance.async { api.registry.hibernate() } }
            every(.seconds(60)) { $0.registry.recordTime(isLast: false) }
            wakeTimers()
            every(.seconds(1)) { [weak self] _ in self?.wakeTimers() }
        }
        if let publicKeys {
            every(.seconds(1)) { api in
                maintenance.async {
                    if let verifier = publicKeys.look() { api.tokens?.replace(verifier) }
                }
            }
        }
        api.followOwnership(on: group.loops[0])
        if api.availability.memory.isLimited {
            let queue = DispatchQueue(label: "memory")
            every(.milliseconds(100)) { api in queue.async { api.updateMemory() } }
        }
        returnFreedMemory()
        watchFunctions()
    }

    /// Reports functions of stores that do not return. Not on a loop, which may be the one that such a function holds.
    private func watchFunctions() {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "functions"))
        let functions = Locked(RunningFunctions())
        timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(100))
        timer.setEventHandler { [weak self] in
            // It ends with the server, and not with the drain, which such a function delays.
            guard let self else { return timer.cancel() }
            api.reportStalls(in: functions)
        }
        timer.resume()
    }

    /// Returns memory to the system soon after much of it became free.
    private func returnFreedMemory() {
        let queue = DispatchQueue(label: "memory.release", qos: .utility)
        let release = Locked(MemoryRelease())
        every(.seconds(1)) { api in
            let peak = api.input.takePeak() + api.output.takePeak()
            let held = api.input.heldBytes + api.output.pendingBytes
            // Not on the loop: it takes milliseconds.
            if release.withLock({ $0.update(peak: peak, held: held) }) { queue.async { ProcessMemory.releaseFree() } }
        }
    }

    /// Loads the sessions whose timers are due.
    private func wakeTimers() { Task { [api] in await api.timers?.wake { api.isDraining } } }

    /// Repeats `body` on the first loop until the server drains.
    private func every(_ interval: Duration, _ body: @escaping @Sendable (API) -> Void) {
        let loop = group.loops[0]
        loop.execute { [weak self] in
            _ = loop.schedule(after: interval) {
                guard let self, !self.api.isDraining else { return }
                body(self.api)
                self.every(interval, body)
            }
        }
    }
}

extension API {
    /// Reports the functions that have run for too long.
    func reportStalls(in functions: Locked<RunningFunctions>) {
        for stall in functions.withLock({ $0.look(now: steadyTime) }) {
            kinds.named(stall.store)?.report(stall)
        }
    }

    /// Reads some stored sessions while the server serves, and brings the index of their members up to date.
    func checkStoredStates() -> Task<Void, Never>? {
        guard let journal, journal.outlivesProcess else { return nil }
        let check = StoredStateCheck(journal, kinds, log)
        return Task(priority: .utility) { [memberCheck] in
            await check.run()
            await memberCheck.run()
        }
    }
}
