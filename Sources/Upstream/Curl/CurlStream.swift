import CCurl
package import Curl
import Platform
package import RemoteServices

/// A GET whose response is read while it arrives. Its caller decides how long the server may be silent. It blocks the calling
/// thread: it is for programs on a command line, not for servers.
package final class CurlStream {
    /// The GET to send, and the certificates to trust.
    package struct Request: Sendable, Hashable {
        package var url: HTTPURL
        /// Names and values of header fields.
        package var headers: [String: String] = [:]
        /// A file of trusted certificates (PEM) that replaces those of the system.
        package var caFile: String?
        package var userAgent: String

        package init(
            url: HTTPURL, headers: [String: String] = [:], caFile: String? = nil, userAgent: String
        ) {
            self.url = url
            self.headers = headers
            self.caFile = caFile
            self.userAgent = userAgent
        }
    }

    /// Gets each part of the body with the response without its body, and returns false to end the response.
    package typealias Sink = (_ head: RemoteResponse, _ part: [UInt8]) -> Bool

    /// Gets the time since the last byte of the response, about once a second, and returns false to give the server up.
    package typealias Watchdog = (_ idleTime: Duration) -> Bool

    private let sink: Sink
    private let watchdog: Watchdog
    /// When the last byte came, in nanoseconds. A laptop that wakes up has missed all bytes meanwhile.
    private var lastReceived = continuousTime()
    private let easy: UnsafeMutableRawPointer
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var section: [UInt8] = []
    private var isStopped = false

    /// Reads a response until it ends, or until the sink returns false.
    ///
    /// - Returns: the response without its body.
    package static func read(
        _ request: Request, library: CurlLibrary = CurlLibrary(), watchdog: @escaping Watchdog = { _ in true },
        sink: @escaping Sink
    ) throws(RemoteFailure) -> RemoteResponse {
        var library = library
        if let failure = library.load() { throw RemoteFailure(.unreachable, failure.reason) }
        guard let easy = ccurl_easy_init() else { throw RemoteFailure(.unreachable, "libcurl has no memory") }
        return try CurlStream(easy, watchdog, sink).perform(request)
    }

    private init(_ easy: UnsafeMutableRawPointer, _ watchdog: @escaping Watchdog, _ sink: @escaping Sink) {
        self.easy = easy
        self.watchdog = watchdog
        self.sink = sink
    }

    deinit {
        ccurl_easy_cleanup(easy)
        ccurl_slist_free_all(fields)
    }

    private func perform(_ request: Request) throws(RemoteFailure) -> RemoteResponse {
        for (name, value) in request.headers {
            guard let line = FieldLine.line(name, value) else {
                throw RemoteFailure(.unreachable, "the header '\(name)' is not valid")
            }
            fields = ccurl_slist_append(fields, line)
        }
        guard configure(request) else {
            throw RemoteFailure(.unreachable, "the request cannot be sent; is the file of certificates readable?")
        }
        let code = ccurl_easy_perform(easy)
        if code == CURLE_ABORTED_BY_CALLBACK { throw RemoteFailure(.timeout, "the server is silent") }
        guard code == CURLE_OK || isStopped else {
            throw RemoteFailure(.unreachable, String(cString: ccurl_easy_strerror(code)))
        }
        return head
    }

    private func configure(_ request: Request) -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        var options = EasyOptions(easy)
        options.set(CURLOPT_URL, request.url.text)
        options.set(CURLOPT_PROTOCOLS_STR, "http,https")
        options.set(CURLOPT_PROXY, "")
        options.set(CURLOPT_SSL_VERIFYPEER, 1)
        options.set(CURLOPT_SSL_VERIFYHOST, 2)
        options.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = request.caFile {
            options.set(CURLOPT_CAINFO, file)
            options.set(CURLOPT_CAPATH, pointer: nil)
        }
        options.set(CURLOPT_USERAGENT, request.userAgent)
        options.set(CURLOPT_HTTPHEADER, pointer: fields)
        options.set(CURLOPT_NOSIGNAL, 1)
        options.set(CURLOPT_CONNECTTIMEOUT_MS, 10_000)
        // The kernel notices a peer that is gone after about a minute, although nothing is sent to it.
        options.set(CURLOPT_TCP_KEEPALIVE, 1)
        options.set(CURLOPT_TCP_KEEPIDLE, 20)
        options.set(CURLOPT_TCP_KEEPINTVL, 5)
        options.check(ccurl_set_sink(easy, CURLOPT_WRITEFUNCTION, Self.onBody))
        options.set(CURLOPT_WRITEDATA, pointer: context)
        options.check(ccurl_set_sink(easy, CURLOPT_HEADERFUNCTION, Self.onHeader))
        options.set(CURLOPT_HEADERDATA, pointer: context)
        options.check(ccurl_set_progress(easy, Self.onProgress))
        options.set(CURLOPT_XFERINFODATA, pointer: context)
        options.set(CURLOPT_NOPROGRESS, 0)
        return options.allAccepted
    }

    private var head: RemoteResponse {
        var status = 0
        if ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK { status = 0 }
        return RemoteResponse(status: status, headers: RemoteResponse.Headers(section: section))
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlStream? {
        context.map { Unmanaged<CurlStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let onBody: curl_write_callback = { bytes, size, count, context in
        let length = size * count
        guard length > 0, let stream = CurlStream.from(context) else { return length }
        stream.lastReceived = continuousTime()
        let part = [UInt8](UnsafeRawBufferPointer(start: bytes, count: length))
        if stream.sink(stream.head, part) { return length }
        stream.isStopped = true
        return 0
    }

    private static let onHeader: curl_write_callback = { bytes, size, count, context in
        let length = size * count
        guard let stream = CurlStream.from(context) else { return length }
        stream.lastReceived = continuousTime()
        let line = UnsafeRawBufferPointer(start: bytes, count: length)
        if line.starts(with: "HTTP/".utf8) { stream.section.removeAll() }
        // No server needs more, and the headers of a response have no other limit here.
        if stream.section.count < 65_536 { stream.section.append(contentsOf: line) }
        return length
    }

    private static let onProgress: curl_xferinfo_callback = { context, _, _, _, _ in
        guard let stream = CurlStream.from(context) else { return 0 }
        return stream.watchdog(.nanoseconds(continuousTime() - stream.lastReceived)) ? 0 : 1
    }
}
