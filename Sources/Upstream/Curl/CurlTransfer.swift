import CCurl
import Platform
import RemoteServices
import Sockets

/// One request and its response on one easy handle, without redirects and retries.
///
/// It lives on the loop. `CurlMulti` keeps it alive while libcurl has a pointer to it.
final class CurlTransfer {
    typealias Completion = (TransferOutcome) -> Void

    let request: TransferRequest
    let completion: Completion
    private(set) var easy: UnsafeMutableRawPointer?
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var body: [UInt8] = []
    private var headerBytes = 0
    /// The bytes behind the header section: the body as it is encoded, with chunk sizes and extensions.
    private var encodedBytes = 0
    private var headers: [UInt8] = []
    private var headersEnded = false
    /// Whether the header section limits the bytes behind it by a `Content-Length`, which chunks override.
    private var hasLength = false
    private var isChunked = false
    /// The bytes that arrived since ``takeByteCount()`` was last called.
    private var unreportedBytes = 0
    /// Measures the speed of the response.
    var speedTimer: LoopTimer?
    private var isSent = false
    /// True if an address was refused because it is not public.
    private var refusedPrivateAddress = false
    /// True if the process has no free file descriptor for a connection.
    private var lacksDescriptors = false
    /// True if the transfer was stopped because another one resolves its name.
    private(set) var waitsForLookup = false
    /// True if the completion must not be called any more.
    private(set) var isDiscarded = false
    /// The multi handle that runs it, until it has ended.
    var multi: CurlMulti?
    /// The reason if a callback stopped the transfer. It is more precise than libcurl's code.
    private var stopped: TransferFailure?

    /// - Parameter completion: called once on the loop, unless the transfer is cancelled.
    init(_ request: TransferRequest, completion: @escaping Completion) {
        self.request = request
        self.completion = completion
    }

    deinit {
        close()
    }

    /// Makes the handle.
    ///
    /// - Returns: nil if libcurl rejects the request.
    func open() -> UnsafeMutableRawPointer? {
        guard let easy = ccurl_easy_init() else { return nil }
        self.easy = easy
        waitsForLookup = false
        for line in request.fields {
            guard let longer = ccurl_slist_append(fields, line) else { return nil }
            fields = longer
        }
        return configure(easy, fields: fields) ? easy : nil
    }

    /// Frees the handle. It must not be part of a multi handle any more.
    func close() {
        // Without a handle libcurl may not be loaded.
        guard let easy else { return }
        ccurl_easy_cleanup(easy)
        ccurl_slist_free_all(fields)
        self.easy = nil
        fields = nil
    }

    /// Ends it without calling the completion.
    func cancel() {
        multi?.cancel(self)
    }

    func discard() {
        isDiscarded = true
    }

    /// The outcome of the finished transfer.
    func outcome(_ code: CURLcode) -> TransferOutcome {
        if let stopped { return .failed(stopped) }
        if code == CURLE_COULDNT_CONNECT, refusedPrivateAddress { return .failed(.denied) }
        if code == CURLE_COULDNT_CONNECT, lacksDescriptors { return .failed(.noDescriptors) }
        guard code == CURLE_OK else { return .failed(TransferFailure(code)) }
        return .answered(
            RemoteResponse(
                status: number(CURLINFO_RESPONSE_CODE), contentType: text(CURLINFO_CONTENT_TYPE),
                headers: RemoteResponse.Headers(section: headers), body: body),
            redirect: text(CURLINFO_REDIRECT_URL), retryAfter: retryAfter)
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    private func text(_ info: CURLINFO) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard ccurl_get_string(easy, info, &value) == CURLE_OK, let value else { return nil }
        return String(cString: value)
    }

    private var retryAfter: Duration? {
        var seconds: curl_off_t = 0
        guard ccurl_get_large(easy, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK, seconds > 0 else { return nil }
        return .seconds(seconds)
    }
}

// libcurl's callbacks while the transfer runs.
extension CurlTransfer {
    /// A part of the body.
    ///
    /// - Returns: false to stop the transfer.
    func received(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard stopped == nil, bytes.count <= request.settings.maxBodyBytes - body.count else {
            stopped = .tooLarge
            return false
        }
        body.append(contentsOf: bytes)
        unreportedBytes += bytes.count
        return true
    }

    /// Bytes behind the header section, before libcurl decodes them.
    ///
    /// A body in chunks of one byte is six times as long. Eight leaves room for longer chunk sizes. What is longer than
    /// that, and than a header section, is no body: chunk extensions without end, which libcurl discards, would keep the
    /// processor busy until the call's deadline.
    func received(encodedBytes count: Int) {
        encodedBytes += count
        let limit = request.settings.maxHeaderBytes + 8 * (body.count + count)
        guard stopped == nil, encodedBytes > limit + Self.readBufferBytes else { return }
        stopped = .tooLarge
        multi?.stopAtEndOfTurn(self, .tooLarge)
    }

    /// The process could not open a socket.
    func couldNotOpenSocket(_ code: Int32) {
        if code == EMFILE || code == ENFILE { lacksDescriptors = true }
    }

    /// How much libcurl reads at once.
    static let readBufferBytes = 8192

    /// A line of a header section, of interim responses and trailers as well.
    ///
    /// - Returns: false to stop the transfer.
    func received(header line: UnsafeRawBufferPointer) -> Bool {
        guard line.count <= request.settings.maxHeaderBytes - headerBytes else {
            stopped = .tooLarge
            return false
        }
        if headerBytes == 0 { multi?.watchSpeed(of: self) }
        headerBytes += line.count
        unreportedBytes += line.count
        append(header: line)
        return true
    }

    private func append(header line: UnsafeRawBufferPointer) {
        if line.starts(with: "HTTP/".utf8) {
            headers.removeAll(keepingCapacity: true)
            (headersEnded, hasLength, isChunked) = (false, false, false)
        }
        guard !headersEnded else { return }
        headers.append(contentsOf: line)
        if Self.isField("content-length:", line) { hasLength = true }
        if Self.isField("transfer-encoding:", line) { isChunked = true }
        guard line.elementsEqual("\r\n".utf8) else { return }
        headersEnded = true
        if isChunked || !hasLength { countEncodedBytes() }
    }

    /// - Parameter name: in lower case, with the colon.
    private static func isField(_ name: StaticString, _ line: UnsafeRawBufferPointer) -> Bool {
        guard line.count > name.utf8CodeUnitCount else { return false }
        for place in 0..<name.utf8CodeUnitCount {
            let byte = line[place]
            let isUpperCase = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            if (isUpperCase ? byte | 0x20 : byte) != name.utf8Start[place] { return false }
        }
        return true
    }

    /// The bytes that arrived since the last call.
    func takeByteCount() -> Int {
        defer { unreportedBytes = 0 }
        return unreportedBytes
    }

    /// libcurl is about to resolve the name.
    ///
    /// - Returns: false to stop the transfer.
    func willResolve() -> Bool {
        waitsForLookup = multi?.mayResolve(self) == false
        return !waitsForLookup
    }

    /// libcurl is about to connect, so the name is resolved.
    ///
    /// - Returns: false to skip this address.
    func willConnect(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
        multi?.endLookup(self)
        guard request.settings.denyPrivate, !CurlSocketFactory.isPublic(address) else { return true }
        refusedPrivateAddress = true
        return false
    }

    /// libcurl is about to send the request.
    ///
    /// It sends the request again by itself if a reused connection turns out to be closed. That could repeat a POST and
    /// bypass the retry rules, so the second time stops the transfer.
    ///
    /// - Returns: false to stop the transfer.
    func willSend(to address: UnsafePointer<CChar>) -> Bool {
        // The connection may have been opened for a service that allows private addresses.
        if request.settings.denyPrivate, !CurlSocketFactory.isPublic(address) {
            stopped = .denied
        } else if isSent {
            stopped = .repeated
        }
        isSent = true
        return stopped == nil
    }
}
