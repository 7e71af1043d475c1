#if canImport(Network)
    import Foundation
    import Network
    #if canImport(UIKit)
        import UIKit
    #endif

    /// Tells when the network of an Apple system changes, and when the app comes to the foreground.
    @MainActor
    final class NetworkWatch {
        private let monitor = NWPathMonitor()
        #if canImport(UIKit)
            // Only ever given back to the center, from any thread.
            private nonisolated(unsafe) let foreground: any NSObjectProtocol
        #endif

        init(_ tell: @escaping @MainActor @Sendable (ConnectionMachine.Event) -> Void) {
            #if canImport(UIKit)
                foreground = NotificationCenter.default.addObserver(
                    forName: UIApplication.willEnterForegroundNotification, object: nil, queue: .main
                ) { _ in MainActor.assumeIsolated { tell(.poke) } }
            #endif
            // A path that needs a connection first gets one by a request.
            monitor.pathUpdateHandler = { path in
                let isOnline = path.status != .unsatisfied
                MainActor.assumeIsolated { tell(isOnline ? .online : .offline) }
            }
            monitor.start(queue: .main)
        }

        deinit {
            monitor.cancel()
            #if canImport(UIKit)
                NotificationCenter.default.removeObserver(foreground)
            #endif
        }
    }
#endif
