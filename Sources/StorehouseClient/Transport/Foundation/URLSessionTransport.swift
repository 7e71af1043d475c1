#if canImport(Darwin)
    import Foundation
    import Locks

    /// Carries requests with a `URLSession` of its own, which keeps no cookies and no cache.
    ///
    /// A redirect is a response like any other, so that a token reaches the server of the request only. Nothing but cancelling
    /// limits the time of a request.
    public final class URLSessionTransport: ClientTransport {
        private static let maxBodyBytes = 64 << 20
        private static let maxUnheardBytes = 4 << 20

        private let delegate = SessionDelegate()
        private let session: URLSession

        public init() {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.httpShouldSetCookies = false
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            // A stream may last. Its reader notices when no bytes come.
            configuration.timeoutIntervalForRequest = 86_400
            configuration.timeoutIntervalForResource = .greatestFiniteMagnitude
            session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: delegate.queue)
        }

        deinit { session.invalidateAndCancel() }

        public nonisolated(nonsending) func send(
            _ request: ClientRequest
        ) async throws(TransportFailure) -> ClientResponse {
            let response = WholeResponse(maxBytes: Self.maxBodyBytes)
            let task = session.dataTask(with: try Self.urlRequest(request))
            delegate.start(task, response)
            return try await response.result { task.cancel() }.get()
        }

        public func open(
            _ request: ClientRequest, hear: @escaping @MainActor @Sendable (StreamPart) -> Void
        ) -> any OpenStream {
            do throws(TransportFailure) {
                let task = session.dataTask(with: try Self.urlRequest(request))
                let resume: @Sendable () -> Void = { [queue = delegate.queue] in queue.addOperation { task.resume() } }
                let mailbox = StreamMailbox(maxBytes: Self.maxUnheardBytes, resume: resume, hear: hear)
                delegate.start(task, mailbox)
                return TaskStream(mailbox: mailbox, task: task)
            } catch {
                let mailbox = StreamMailbox(maxBytes: 0, resume: {}, hear: hear)
                mailbox.end(error)
                return TaskStream(mailbox: mailbox, task: nil)
            }
        }

        private static func urlRequest(_ request: ClientRequest) throws(TransportFailure) -> URLRequest {
            guard let url = URL(string: request.url), url.scheme == "http" || url.scheme == "https" else {
                throw TransportFailure("the address is not a URL of a server")
            }
            var result = URLRequest(url: url)
            result.httpMethod = request.method
            result.httpBody = request.body.map { Data($0) }
            for (name, value) in request.headers { result.setValue(value, forHTTPHeaderField: name) }
            return result
        }
    }

    /// A stream whose parts go to a mailbox.
    private struct TaskStream: OpenStream {
        let mailbox: StreamMailbox
        /// Nil if it never began.
        let task: URLSessionDataTask?

        func close() {
            mailbox.close()
            task?.cancel()
        }
    }

    /// Passes on what the session says of its tasks. All of that comes on one queue, in order.
    private final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
        let queue: OperationQueue
        // Guards the receivers of the tasks that have not ended, by their identifiers. A leaf.
        private let receivers = Locked<[Int: any ResponseReceiver]>([:])

        override init() {
            queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            super.init()
        }

        func start(_ task: URLSessionDataTask, _ receiver: any ResponseReceiver) {
            receivers.withLock { $0[task.taskIdentifier] = receiver }
            task.resume()
        }

        private func receiver(of task: URLSessionTask) -> (any ResponseReceiver)? {
            receivers.withLock { $0[task.taskIdentifier] }
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            if let response = response as? HTTPURLResponse {
                var headers: [String: String] = [:]
                for (name, value) in response.allHeaderFields {
                    if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
                }
                receiver(of: dataTask)?.receive(status: response.statusCode, headers: headers)
                receiver(of: dataTask)?.flush()
            }
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            guard let receiver = receiver(of: dataTask) else { return }
            switch receiver.receive([UInt8](data)) {
            case .taken: break
            // It is resumed on this queue, and so behind this.
            case .full: dataTask.suspend()
            case .refused(let failure):
                receiver.end(failure)
                dataTask.cancel()
            }
            receiver.flush()
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let receiver = receivers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            receiver?.end(error.map { TransportFailure($0.localizedDescription) })
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
#endif
