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
