import Dispatch
import Synchronization

/// Some event loops, usually one a core.
package final class EventLoopGroup: Sendable {
    package let loops: [any EventLoop]
    private let turn = Atomic<Int>(0)

    /// Starts the loops.
    /// - Parameter count: how many; at least one is started.
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

    /// The loops in turn, from any thread.
    package func next() -> any EventLoop {
        let index = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: index) % UInt(loops.count))]
    }

    /// Stops all loops; `stopped` is called when the last has ended.
    package func stop(_ stopped: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        for loop in loops {
            group.enter()
            loop.stop { group.leave() }
        }
        group.notify(queue: .global()) { stopped() }
    }

    /// Stops all loops and waits until the last has ended.
    package func stop() async {
        await withCheckedContinuation { continuation in
            stop { continuation.resume() }
        }
    }
}

/// What an event loop waits with.
package enum LoopImplementation: String, Sendable, CaseIterable {
    #if os(Linux)
        case epoll
    #endif
    case dispatchSource = "dispatch-source"

    /// The fastest that this system has.
    package static var preferred: LoopImplementation {
        #if os(Linux)
            .epoll
        #else
            .dispatchSource
        #endif
    }

    /// How many descriptors there are for each that is watched, itself counted.
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
