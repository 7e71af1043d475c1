import CCurl

extension CurlTransfer {
    /// Tells the handle all about the request.
    /// - Returns: false if libcurl refuses any of it.
    func configure(_ easy: UnsafeMutableRawPointer, fields: UnsafeMutablePointer<curl_slist>?) -> Bool {
        var options = EasyOptions(easy)
        setAddress(&options)
        setTrust(&options)
        setRequest(&options, fields: fields)
        setBounds(&options)
        setCallbacks(&options, easy)
        return options.areAccepted
    }

    private func setAddress(_ options: inout EasyOptions) {
        options.set(CURLOPT_URL, request.address.text)
        options.set(CURLOPT_PROTOCOLS_STR, "http,https")
        options.set(CURLOPT_FOLLOWLOCATION, 0)
        // An empty proxy keeps out what the environment names.
        options.set(CURLOPT_PROXY, request.settings.proxy ?? "")
        // HTTP/2 where TLS offers it. Calls that come together wait to see whether they may share a connection; without
        // TLS they would wait for the first answer.
        options.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        options.set(CURLOPT_PIPEWAIT, request.address.origin.scheme == "https" ? 1 : 0)
        options.set(CURLOPT_FRESH_CONNECT, request.reusesConnection ? 0 : 1)
        options.set(CURLOPT_TCP_KEEPALIVE, 1)
        options.set(CURLOPT_MAXAGE_CONN, CurlMulti.connectionIdleSeconds)
    }

    private func setTrust(_ options: inout EasyOptions) {
        options.set(CURLOPT_SSL_VERIFYPEER, 1)
        options.set(CURLOPT_SSL_VERIFYHOST, 2)
        options.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = request.settings.caFile {
            options.set(CURLOPT_CAINFO, file)
            // What the system trusts stands in a folder too.
            options.set(CURLOPT_CAPATH, pointer: nil)
        }
        guard request.isTrusted, let certificate = request.settings.clientCertificate else { return }
        options.set(CURLOPT_SSLCERT, certificate)
        options.set(CURLOPT_SSLKEY, request.settings.clientKey ?? certificate)
        // Without any OpenSSL would ask on the terminal, and hold up the loop.
        options.set(CURLOPT_KEYPASSWD, request.settings.clientKeyPassword ?? "")
    }

    private func setRequest(_ options: inout EasyOptions, fields: UnsafeMutablePointer<curl_slist>?) {
        if request.sendsBody {
            options.set(CURLOPT_POST, 1)
            options.set(CURLOPT_POSTFIELDSIZE_LARGE, large: request.body.count)
            options.set(CURLOPT_COPYPOSTFIELDS, copying: request.body)
        }
        if request.method == "HEAD" {
            options.set(CURLOPT_NOBODY, 1)
        } else if request.method != (request.sendsBody ? "POST" : "GET") {
            options.set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        options.set(CURLOPT_USERAGENT, request.userAgent)
        options.set(CURLOPT_ACCEPT_ENCODING, "gzip")
        options.set(CURLOPT_HTTPHEADER, pointer: fields)
    }

    private func setBounds(_ options: inout EasyOptions) {
        // No signals: the resolver would use them for its time limit.
        options.set(CURLOPT_NOSIGNAL, 1)
        // The call has a timer of its own; libcurl shares its time out among several addresses.
        options.set(CURLOPT_TIMEOUT_MS, max(Int(request.timeout / .milliseconds(1)), 1))
        options.set(CURLOPT_MAXFILESIZE_LARGE, large: request.settings.maxBodyBytes)
        options.set(CURLOPT_BUFFERSIZE, 8192)
        // A look-up that is cancelled ends by itself; the loop must not wait for its thread.
        options.set(CURLOPT_QUICK_EXIT, 1)
    }
}

/// Sets options of one easy handle, and remembers a refusal.
struct EasyOptions {
    private let easy: UnsafeMutableRawPointer
    private(set) var areAccepted = true

    init(_ easy: UnsafeMutableRawPointer) {
        self.easy = easy
    }

    mutating func note(_ code: CURLcode) {
        if code != CURLE_OK { areAccepted = false }
    }

    mutating func set(_ option: CURLoption, _ value: Int) {
        note(ccurl_set_long(easy, option, value))
    }

    mutating func set(_ option: CURLoption, large value: Int) {
        note(ccurl_set_large(easy, option, curl_off_t(value)))
    }

    mutating func set(_ option: CURLoption, _ value: String) {
        note(ccurl_set_string(easy, option, value))
    }

    mutating func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) {
        note(ccurl_set_pointer(easy, option, value))
    }

    mutating func set(_ option: CURLoption, copying bytes: [UInt8]) {
        // Without an address libcurl would ask for the body by callback.
        let bytes = bytes.isEmpty ? [0] : bytes
        bytes.withUnsafeBytes { bytes in
            note(ccurl_set_pointer(easy, option, UnsafeMutableRawPointer(mutating: bytes.baseAddress)))
        }
    }
}

// The C functions that libcurl calls; their context is the transfer, unretained: `CurlMulti` holds it meanwhile.
extension CurlTransfer {
    func setCallbacks(_ options: inout EasyOptions, _ easy: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        options.note(ccurl_set_sink(easy, CURLOPT_WRITEFUNCTION, Self.onBody))
        options.set(CURLOPT_WRITEDATA, pointer: context)
        options.note(ccurl_set_sink(easy, CURLOPT_HEADERFUNCTION, Self.onHeader))
        options.set(CURLOPT_HEADERDATA, pointer: context)
        options.note(ccurl_set_before_request(easy, Self.onRequest))
        options.set(CURLOPT_PREREQDATA, pointer: context)
        options.note(ccurl_set_open_socket(easy, Self.onConnection))
        options.set(CURLOPT_OPENSOCKETDATA, pointer: context)
        if request.address.isNamed {
            options.note(ccurl_set_before_lookup(easy, Self.onLookup))
            options.set(CURLOPT_RESOLVER_START_DATA, pointer: context)
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let onBody: curl_write_callback = { bytes, size, count, context in
        let length = size * count
        let bytes = UnsafeRawBufferPointer(start: bytes, count: length)
        return CurlTransfer.from(context)?.received(body: bytes) == true ? length : CurlTransfer.refusal(of: length)
    }

    private static let onHeader: curl_write_callback = { bytes, size, count, context in
        let length = size * count
        let line = UnsafeRawBufferPointer(start: bytes, count: length)
        return CurlTransfer.from(context)?.received(header: line) == true ? length : CurlTransfer.refusal(of: length)
    }

    /// Any number but the one given stops the transfer.
    private static func refusal(of length: Int) -> Int {
        length == 0 ? 1 : 0
    }

    private static let onRequest: curl_prereq_callback = { context, address, _, _, _ in
        guard let address, let transfer = CurlTransfer.from(context) else { return CURL_PREREQFUNC_ABORT }
        return transfer.beforeRequest(to: address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    private static let onConnection: curl_opensocket_callback = { context, _, address in
        guard let address, let transfer = CurlTransfer.from(context), transfer.beforeConnection(address) else {
            return CURL_SOCKET_BAD
        }
        return CurlSocketFactory.open(address.pointee)
    }

    private static let onLookup: curl_resolver_start_callback = { _, _, context in
        CurlTransfer.from(context)?.beforeLookup() == true ? 0 : 1
    }
}
