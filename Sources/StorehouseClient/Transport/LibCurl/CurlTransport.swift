#if os(Linux)
    package import Curl
    import Locks

    /// Carries requests with libcurl, on a thread that ends when there is nothing to carry for a while.
    ///
    /// Connections are kept open for the next request. A redirect is a response like any other, and the environment's proxies
    /// are ignored, so that a token reaches the server of the request only. Nothing but cancelling limits the time of an app's request.
    /// A request may be sent twice if the server closes a connection that is used again.
    public final class CurlTransport: ClientTransport {
        package struct Settings: Sendable {
            /// A file of trusted certificates (PEM) that replaces those of the system.
            package var caFile: String?
            /// The longest body of a response that is read as a whole, in bytes.
            package var maxBodyBytes = 64 << 20
            /// The longest time of a request that is no stream; nil for any.
            package var timeout: Duration?
            /// How many bytes of a stream may wait for the main actor, before no more are read.
            package var maxUnheardBytes = 4 << 20
            /// How long connections are kept without a request.
            package var idleTime = Duration.seconds(10)
            package var userAgent = "storehouse-client"
            package var library = CurlLibrary()

            package init() {}
        }

        private let settings: Settings
        private let thread: CurlThread

        /// A transport with connections of its own.
        ///
        /// - Parameter caFile: a file of trusted certificates (PEM); nil for those of the system.
        public convenience init(caFile: String? = nil) {
            var settings = Settings()
            settings.caFile = caFile
            self.init(settings)
        }

        package init(_ settings: Settings) {
            self.settings = settings
            thread = CurlThread(settings)
        }

        deinit { thread.stop() }

        public nonisolated(nonsending) func send(
            _ request: ClientRequest
        ) async throws(TransportFailure) -> ClientResponse {
            // The thread could begin before it hears of the cancellation.
            if Task.isCancelled { throw WholeResponse.cancelled }
            let response = WholeResponse(maxBytes: settings.maxBodyBytes)
            let id = CurlJob.ID()
            thread.add(.start(CurlJob(id: id, request: request, receiver: response, timeout: settings.timeout)))
            return try await response.result { thread.cancel(id) }.get()
        }

        public func open(
            _ request: ClientRequest, hear: @escaping @MainActor @Sendable (StreamPart) -> Void
        ) -> any OpenStream {
            let id = CurlJob.ID()
            let mailbox = StreamMailbox(
                maxBytes: settings.maxUnheardBytes, resume: { [thread] in thread.add(.resume(id)) }, hear: hear)
            thread.add(.start(CurlJob(id: id, request: request, receiver: mailbox)))
            return CurlStreamHandle(id: id, mailbox: mailbox, thread: thread)
        }
    }

    /// A stream whose parts go to a mailbox.
    private struct CurlStreamHandle: OpenStream {
        let id: CurlJob.ID
        let mailbox: StreamMailbox
        let thread: CurlThread

        func close() {
            mailbox.close()
            thread.cancel(id)
        }
    }
#endif
