#if os(Linux)
    import CCurl
    import Curl
    import Platform

    /// One request and its response on one handle of libcurl. It is used on the thread of its transport only.
    final class CurlExchange {
        private static let maxHeadBytes = 65_536

        let job: CurlJob
        private(set) var easy: UnsafeMutableRawPointer?
        private var fields: UnsafeMutablePointer<curl_slist>?
        /// Where libcurl writes the reason of a failure.
        private let reason = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        private var headers: [String: String] = [:]
        private var headBytes = 0
        private var hasHead = false
        /// Whether the receiver takes no more for now.
        private var isFull = false
        /// Whether libcurl keeps bytes back for that.
        private var isPaused = false
        /// The reason for which the response was given up here.
        private var refusal: TransportFailure?

        init(_ job: CurlJob) {
            self.job = job
            reason.pointee = 0
        }

        deinit {
            close()
            reason.deallocate()
        }

        /// Makes the handle.
        func open(_ settings: CurlTransport.Settings) throws(TransportFailure) -> UnsafeMutableRawPointer {
            guard let easy = ccurl_easy_init() else { throw TransportFailure("libcurl has no memory") }
            self.easy = easy
            try addFields()
            var options = EasyOptions(easy)
            setAddress(&options, settings)
            setRequest(&options, settings)
            setCallbacks(&options, easy)
            guard options.allAccepted else { throw TransportFailure("libcurl does not accept the request") }
            return easy
        }

        /// Frees the handle, which is part of no multi handle any more.
        func close() {
            guard let easy else { return }
            ccurl_easy_cleanup(easy)
            ccurl_slist_free_all(fields)
            self.easy = nil
            fields = nil
        }

        /// Ends with the code of libcurl.
        func end(_ code: CURLcode) {
            let failure = refusal ?? (code == CURLE_OK ? nil : failure(code))
            close()
            job.receiver.end(failure)
        }

        func resume() {
            isFull = false
            guard isPaused, let easy else { return }
            isPaused = false
            ccurl_easy_resume(easy)
        }

        private var hasConnected: Bool {
            var port = 0
            return ccurl_get_long(easy, CURLINFO_PRIMARY_PORT, &port) == CURLE_OK && port > 0
        }

        private func failure(_ code: CURLcode) -> TransportFailure {
            switch code {
            case CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM:
                TransportFailure("the connection broke in the middle of the response")
            case CURLE_GOT_NOTHING: TransportFailure("the connection broke before the response")
            case CURLE_WEIRD_SERVER_REPLY: TransportFailure("the response is not valid HTTP")
            // libcurl takes a response that is not HTTP for HTTP/0.9, an unsupported protocol.
            case CURLE_UNSUPPORTED_PROTOCOL where hasConnected: TransportFailure("the response is not valid HTTP")
            default:
                TransportFailure(
                    reason.pointee == 0 ? String(cString: ccurl_easy_strerror(code)) : String(cString: reason))
            }
        }
    }

    // The options of the request.
    extension CurlExchange {
        private func addFields() throws(TransportFailure) {
            var lines = ["Expect:"]
            var hasType = false
            for (name, value) in job.request.headers {
                guard let line = FieldLine.line(name, value), !FieldLine.isFraming(name) else {
                    // The value may be a secret.
                    throw TransportFailure("the header '\(name)' cannot be sent")
                }
                hasType = hasType || name.lowercased() == "content-type"
                lines.append(line)
            }
            // A name without a value keeps libcurl from adding the field by itself.
            if !hasType { lines.append("Content-Type:") }
            for line in lines { fields = ccurl_slist_append(fields, line) }
        }

        private func setAddress(_ options: inout EasyOptions, _ settings: CurlTransport.Settings) {
            options.set(CURLOPT_URL, job.request.url)
            options.set(CURLOPT_PROTOCOLS_STR, "http,https")
            options.set(CURLOPT_FOLLOWLOCATION, 0)
            // An empty proxy overrides the environment's.
            options.set(CURLOPT_PROXY, "")
            // With HTTP/2 a stream and the requests beside it have one connection.
            options.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            options.set(CURLOPT_SSL_VERIFYPEER, 1)
            options.set(CURLOPT_SSL_VERIFYHOST, 2)
            options.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
            guard let file = settings.caFile else { return }
            options.set(CURLOPT_CAINFO, file)
            // The system's certificates are in a folder as well.
            options.set(CURLOPT_CAPATH, pointer: nil)
        }

        private func setRequest(_ options: inout EasyOptions, _ settings: CurlTransport.Settings) {
            let body = job.request.body
            if let body {
                options.set(CURLOPT_POST, 1)
                options.set(CURLOPT_POSTFIELDSIZE_LARGE, large: body.count)
                options.set(CURLOPT_COPYPOSTFIELDS, copying: body)
            }
            if job.request.method == "HEAD" { options.set(CURLOPT_NOBODY, 1) }
            if job.request.method != (body == nil ? "GET" : "POST") {
                options.set(CURLOPT_CUSTOMREQUEST, job.request.method)
            }
            options.set(CURLOPT_USERAGENT, settings.userAgent)
            options.set(CURLOPT_HTTPHEADER, pointer: fields)
            options.set(CURLOPT_NOSIGNAL, 1)
            options.set(CURLOPT_CONNECTTIMEOUT_MS, 10_000)
            if let timeout = job.timeout { options.set(CURLOPT_TIMEOUT_MS, timeout.wholeMilliseconds) }
            // The thread does not wait for the resolver of a request that was cancelled.
            options.set(CURLOPT_QUICK_EXIT, 1)
            options.set(CURLOPT_BUFFERSIZE, 65_536)
            // The kernel notices a peer that is gone after about a minute, although nothing is sent to it.
            options.set(CURLOPT_TCP_KEEPALIVE, 1)
            options.set(CURLOPT_TCP_KEEPIDLE, 20)
            options.set(CURLOPT_TCP_KEEPINTVL, 5)
        }
    }

    // The C functions that libcurl calls. Their context is the unretained exchange, which its thread keeps alive.
    extension CurlExchange {
        private func setCallbacks(_ options: inout EasyOptions, _ easy: UnsafeMutableRawPointer) {
            let context = Unmanaged.passUnretained(self).toOpaque()
            options.set(CURLOPT_ERRORBUFFER, pointer: reason)
            options.check(ccurl_set_sink(easy, CURLOPT_WRITEFUNCTION, Self.onBody))
            options.set(CURLOPT_WRITEDATA, pointer: context)
            options.check(ccurl_set_sink(easy, CURLOPT_HEADERFUNCTION, Self.onHeader))
            options.set(CURLOPT_HEADERDATA, pointer: context)
        }

        private static let onBody: curl_write_callback = { bytes, size, count, context in
            let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return CurlExchange.from(context)?.receive(body: bytes) ?? rejection(of: bytes.count)
        }

        private static let onHeader: curl_write_callback = { bytes, size, count, context in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return CurlExchange.from(context)?.receive(header: line) == true ? line.count : rejection(of: line.count)
        }

        private static func from(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
            context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
        }

        /// A number other than `length`, which makes libcurl end the transfer.
        private static func rejection(of length: Int) -> Int {
            length == 0 ? 1 : 0
        }

        /// - Returns: how many bytes are taken, or what libcurl takes for a pause. It gives the bytes again then.
        private func receive(body bytes: UnsafeRawBufferPointer) -> Int {
            guard !isFull else {
                isPaused = true
                return Int(CURL_WRITEFUNC_PAUSE)
            }
            switch job.receiver.receive([UInt8](bytes)) {
            case .taken: break
            case .full: isFull = true
            case .refused(let failure):
                refusal = failure
                return Self.rejection(of: bytes.count)
            }
            return bytes.count
        }

        /// A line of a header section, of interim responses and trailers as well.
        private func receive(header line: UnsafeRawBufferPointer) -> Bool {
            headBytes += line.count
            guard headBytes <= Self.maxHeadBytes else {
                refusal = TransportFailure("the head of the response has more than \(Self.maxHeadBytes) bytes")
                return false
            }
            // Trailers tell nothing.
            guard !hasHead else { return true }
            if line.starts(with: "HTTP/".utf8) {
                headers = [:]
            } else if line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8) {
                endHead()
            } else {
                add(field: line)
            }
            return true
        }

        private func add(field: UnsafeRawBufferPointer) {
            guard let colon = field.firstIndex(of: UInt8(ascii: ":")) else { return }
            let name = String(decoding: field[..<colon], as: UTF8.self).lowercased()
            // A space, a tab, or the end of the line.
            var bytes = field[(colon + 1)...].drop { $0 <= 32 }
            while let last = bytes.last, last <= 32 { bytes.removeLast() }
            let value = String(decoding: bytes, as: UTF8.self)
            headers[name] = headers[name].map { $0 + ", " + value } ?? value
        }

        private func endHead() {
            var status = 0
            guard ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK, status >= 200 else { return }
            hasHead = true
            job.receiver.receive(status: status, headers: headers)
        }
    }
#endif
