import Dispatch

/// A fixed number of event loops, usually one per core.
package final class EventLoopGroup: Sendable {
    package let loops: [any EventLoop]

    /// Starts the loops.
    /// - Parameter count: the number of loops; at least one is started.
    package init(count: Int, implementation: LoopImplementation = .preferred) throws(SocketError) {
        var loops: [any EventLoop] = []
        do {
            for index in 0..<max(count, 1) {
                loops.append(try implementation.makeLoop(label: "loop-\(index)"))
            }
        } catch {
            for loop in loops {
                loop.stop {}
            }
            throw error
        }
        self.loops = loops
    }

    /// Stops all loops, and calls `stopped` when the last one has ended.
    package func stop(_ stopped: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        for loop in loops {
            group.enter()
            loop.stop { group.leave() }
        }
        group.notify(queue: .global()) { stopped() }
    }

    /// Stops all loops, and waits until the last one has ended.
    package func stop() async {
        await withCheckedContinuation { continuation in
            stop { continuation.resume() }
        }
    }
}

/// The mechanism that an event loop waits with.
package enum LoopImplementation: String, Sendable, CaseIterable {
    #if os(Linux)
        case epoll
    #endif
    case dispatchSource = "dispatch-source"

    /// The fastest mechanism of this system.
    package static var preferred: LoopImplementation {
        #if os(Linux)
            .epoll
        #else
            .dispatchSource
        #endif
    }

    /// How many open descriptors each watched descriptor costs, including itself.
    package var descriptorsForEach: Int {
        switch self {
        #if os(Linux)
            case .epoll: 1
        #endif
        case .dispatchSource: 3
        }
    }

    /// Starts a loop of this kind.
    package func makeLoop(label: String) throws(SocketError) -> any EventLoop {
        switch self {
        #if os(Linux)
            case .epoll: try EpollLoop(label: label)
        #endif
        case .dispatchSource: DispatchSourceLoop(label: label)
        }
    }
}
