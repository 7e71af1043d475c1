import Platform

/// The clock of the system.
final class SystemClock: ClientClock {
    var now: Double { Double(continuousTime()) / 1_000_000 }
    var wallTime: Double { Double(systemTime()) }

    func schedule(after delay: Double, _ run: @escaping @MainActor @Sendable () -> Void) -> any ClientTimer {
        SystemTimer(
            Task { @MainActor in
                try? await Task.sleep(for: .nanoseconds(Int64(min(delay, 1e12) * 1_000_000)), tolerance: .zero)
                if !Task.isCancelled { run() }
            })
    }
}

private final class SystemTimer: ClientTimer {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    func cancel() { task.cancel() }
}
