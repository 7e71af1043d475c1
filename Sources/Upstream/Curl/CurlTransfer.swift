import CCurl
import Sockets

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
    private var headers: [UInt8] = []
    private var areHeadersOver = false
    /// How much has come since that was last asked.
    private var newBytes = 0
    /// Looks whether the answer comes too slowly.
    var speedAlarm: LoopTimer?
    private var isSent = false
    /// Whether an address was refused because it is not public.
    private var wasDenied = false
    /// Whether the transfer was stopped because another looks its name up.
    private(set) var awaitsName = false
    /// Whether nobody wants to hear of it any more.
    private(set) var isDropped = false
    /// Where look-ups are asked for and told, on the loop.
    weak var multi: CurlMulti?
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
        guard let easy = ccurl_easy_init() else { return nil }
        self.easy = easy
        awaitsName = false
        for line in request.fields {
            guard let longer = ccurl_slist_append(fields, line) else { return nil }
            fields = longer
        }
        return configure(easy, fields: fields) ? easy : nil
    }

    /// Frees the handle, which no multi handle holds any more.
    func close() {
        // Without a handle nothing of libcurl may be there.
        guard let easy else { return }
        ccurl_easy_cleanup(easy)
        ccurl_slist_free_all(fields)
        self.easy = nil
        fields = nil
    }

    func drop() {
        isDropped = true
    }

    /// What the finished transfer brought.
    func outcome(_ code: CURLcode) -> TransferOutcome {
        if let stopped { return .failed(stopped) }
        if code == CURLE_COULDNT_CONNECT, wasDenied { return .failed(.denied) }
        guard code == CURLE_OK else { return .failed(TransferFailure(code)) }
        return .answered(
            TransferResponse(
                status: number(CURLINFO_RESPONSE_CODE), contentType: text(CURLINFO_CONTENT_TYPE), headers: headers,
                body: body,
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
        newBytes += bytes.count
        return true
    }

    /// A line of a header section; interim answers and trailers count too.
    /// - Returns: false to stop.
    func received(header line: UnsafeRawBufferPointer) -> Bool {
        guard line.count <= request.settings.maxHeaderBytes - headerBytes else {
            stopped = .tooLarge
            return false
        }
        if headerBytes == 0 { multi?.watchSpeed(of: self) }
        headerBytes += line.count
        newBytes += line.count
        keep(header: line)
        return true
    }

    private func keep(header line: UnsafeRawBufferPointer) {
        if line.starts(with: "HTTP/".utf8) {
            headers.removeAll(keepingCapacity: true)
            areHeadersOver = false
        }
        if !areHeadersOver { headers.append(contentsOf: line) }
        if line.elementsEqual("\r\n".utf8) { areHeadersOver = true }
    }

    /// How much has come since this was last asked.
    func takeNewBytes() -> Int {
        defer { newBytes = 0 }
        return newBytes
    }

    /// A name is about to be looked up.
    /// - Returns: false to stop.
    func beforeLookup() -> Bool {
        awaitsName = multi?.mayLookUp(self) == false
        return !awaitsName
    }

    /// A connection is about to be made, so the name is known.
    /// - Returns: false to pass over this address.
    func beforeConnection(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
        multi?.endLookup(self)
        guard request.settings.denyPrivate, !CurlSocketFactory.isPublic(address) else { return true }
        wasDenied = true
        return false
    }

    /// The request is about to be sent.
    ///
    /// libcurl sends it again, unasked, when a connection that it reused turns out dead. That could do a POST twice,
    /// and hides a retry from the rules for them, so the second time stops the transfer.
    /// - Returns: false to stop.
    func beforeRequest(to address: UnsafePointer<CChar>) -> Bool {
        // The connection may have been made for a service that private addresses are not denied to.
        if request.settings.denyPrivate, !CurlSocketFactory.isPublic(address) {
            stopped = .denied
        } else if isSent {
            stopped = .repeated
        }
        isSent = true
        return stopped == nil
    }
}
