import CCurl

/// One exchange with a service on one easy handle: a request and an answer, no redirect and no retry.
///
/// Lives on the loop. `CurlMulti` keeps it alive while libcurl knows its address.
final class CurlTransfer {
    typealias Completion = (TransferOutcome) -> Void

    let request: TransferRequest
    let completion: Completion
    private(set) var easy: UnsafeMutableRawPointer?
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var body: [UInt8] = []
    private var headerBytes = 0
    private var isSent = false
    /// What stopped the transfer from inside a callback; it says more than libcurl's code.
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
    /// - Returns: nil if libcurl refuses.
    func open() -> UnsafeMutableRawPointer? {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        for line in request.fields {
            guard let longer = curl_slist_append(fields, line) else { return nil }
            fields = longer
        }
        return configure(easy, fields: fields) ? easy : nil
    }

    /// Frees the handle, which no multi handle holds any more.
    func close() {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        easy = nil
        fields = nil
    }

    /// What the finished transfer brought.
    func outcome(_ code: CURLcode) -> TransferOutcome {
        if let stopped { return .failed(stopped) }
        guard code == CURLE_OK else { return .failed(TransferFailure(code)) }
        return .answered(
            TransferAnswer(
                status: number(CURLINFO_RESPONSE_CODE), contentType: text(CURLINFO_CONTENT_TYPE), body: body,
                location: text(CURLINFO_REDIRECT_URL), retryAfter: retryAfter))
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

// What libcurl tells while the transfer runs.
extension CurlTransfer {
    /// A piece of the body.
    /// - Returns: false to stop.
    func received(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= request.settings.maxBodyBytes - body.count else {
            stopped = .tooLarge
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    /// A line of a header section; interim answers and trailers count too.
    /// - Returns: false to stop.
    func received(header count: Int) -> Bool {
        guard count <= request.settings.maxHeaderBytes - headerBytes else {
            stopped = .tooLarge
            return false
        }
        headerBytes += count
        return true
    }

    /// The request is about to be sent.
    ///
    /// libcurl sends it again, unasked, when a connection that it reused turns out dead. That could do a POST twice,
    /// and hides a retry from the rules for them, so the second time stops the transfer.
    /// - Returns: false to stop.
    func beforeRequest() -> Bool {
        guard !isSent else {
            stopped = .repeated
            return false
        }
        isSent = true
        return true
    }
}
