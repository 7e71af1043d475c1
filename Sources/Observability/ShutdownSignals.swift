import Dispatch
import Locks
import Platform

/// Hears SIGTERM and SIGINT: the first asks for a drain, a second ends the process at once. SIGHUP does no harm.
package final class ShutdownSignals: Sendable {
    private struct Contents {
        var sources: [any DispatchSourceSignal] = []
        var hasCome = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    // Guards whether a signal has come and who waits for it. Nothing else is locked meanwhile.
    private let contents = Locked(Contents())

    /// From here on the signals no longer end the process by themselves.
    package init() {
        signal(SIGHUP, SIG_IGN)
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGTERM, SIGINT] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
            source.setEventHandler { [weak self] in self?.hear(number) }
            source.resume()
            contents.withLock { $0.sources.append(source) }
        }
    }

    /// Waits for the first signal.
    package func first() async {
        await withCheckedContinuation { continuation in
            let hasCome = contents.withLock { contents in
                if !contents.hasCome { contents.waiting = continuation }
                return contents.hasCome
            }
            if hasCome { continuation.resume() }
        }
    }

    private func hear(_ number: Int32) {
        let (isSecond, waiting): (Bool, CheckedContinuation<Void, Never>?) = contents.withLock { contents in
            defer {
                contents.hasCome = true
                contents.waiting = nil
            }
            return (contents.hasCome, contents.waiting)
        }
        if isSecond { _exit(128 + number) }
        waiting?.resume()
    }
}
