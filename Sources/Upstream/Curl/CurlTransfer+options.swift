import CCurl
import Curl
import Platform

extension CurlTransfer {
    /// Sets the options of the handle for the request.
    ///
    /// - Returns: false if libcurl rejects an option.
    func configure(_ easy: UnsafeMutableRawPointer, fields: UnsafeMutablePointer<curl_slist>?) -> Bool {
        var options = EasyOptions(easy)
        setAddress(&options)
        setTrust(&options)
        setRequest(&options, fields: fields)
        setBounds(&options)
        setCallbacks(&options, easy)
        return options.allAccepted
    }

    private func setAddress(_ options: inout EasyOptions) {
        options.set(CURLOPT_URL, request.address.text)
        options.set(CURLOPT_PROTOCOLS_STR, "http,https")
        options.set(CURLOPT_FOLLOWLOCATION, 0)
        // An empty proxy overrides the environment's.
        options.set(CURLOPT_PROXY, request.settings.proxy ?? "")
        // HTTP/2 if TLS negotiates it. Calls that start together wait to share a connection; without TLS they would wait
        // for the first response.
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
        switch request.trust.authorities {
        case .system: break
        case .file(let file): options.set(CURLOPT_CAINFO, file)
        case .content(let certificates): options.set(CURLOPT_CAINFO_BLOB, blob: certificates)
        }
        // The system's certificates are in a folder as well.
        if request.settings.caFile != nil { options.set(CURLOPT_CAPATH, pointer: nil) }
        guard request.isSameOrigin, let path = request.settings.clientCertificate else { return }
        if let client = request.trust.client {
            options.set(CURLOPT_SSLCERT_BLOB, blob: client.certificate)
            options.set(CURLOPT_SSLKEY_BLOB, blob: client.key)
        } else {
            options.set(CURLOPT_SSLCERT, path)
            options.set(CURLOPT_SSLKEY, request.settings.clientKey ?? path)
        }
        // Without a password OpenSSL would ask on the terminal and block the loop.
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
        // libcurl's resolver would use SIGALRM for its timeout.
        options.set(CURLOPT_NOSIGNAL, 1)
        // The call has its own timer, which must not be the later one. libcurl divides this time among the addresses of a name.
        options.set(CURLOPT_TIMEOUT_MS, max(Int((request.timeout / .milliseconds(1)).rounded(.up)), 1))
        options.set(CURLOPT_MAXFILESIZE_LARGE, large: request.settings.maxBodyBytes)
        options.set(CURLOPT_BUFFERSIZE, Self.readBufferBytes)
        // The loop must not wait for the resolver's thread after a cancelled lookup.
        options.set(CURLOPT_QUICK_EXIT, 1)
    }
}

// The C functions that libcurl calls. Their context is the unretained transfer, which `CurlMulti` keeps alive.
extension CurlTransfer {
    func setCallbacks(_ options: inout EasyOptions, _ easy: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        options.check(ccurl_set_sink(easy, CURLOPT_WRITEFUNCTION, Self.onBody))
        options.set(CURLOPT_WRITEDATA, pointer: context)
        options.check(ccurl_set_sink(easy, CURLOPT_HEADERFUNCTION, Self.onHeader))
        options.set(CURLOPT_HEADERDATA, pointer: context)
        options.check(ccurl_set_before_request(easy, Self.onRequest))
        options.set(CURLOPT_PREREQDATA, pointer: context)
        options.check(ccurl_set_open_socket(easy, Self.onConnection))
        options.set(CURLOPT_OPENSOCKETDATA, pointer: context)
        options.check(ccurl_set_debug(easy, Self.onBytes))
        options.set(CURLOPT_DEBUGDATA, pointer: context)
        if request.address.isNamed {
            options.check(ccurl_set_before_lookup(easy, Self.onLookup))
            options.set(CURLOPT_RESOLVER_START_DATA, pointer: context)
        }
    }

    /// Counts the bytes that are neither header nor body. Only the debug callback sees them, and only if libcurl is verbose.
    /// Then it also writes a text of each step, so this begins where a response needs it.
    func countEncodedBytes() {
        if let easy { _ = ccurl_set_long(easy, CURLOPT_VERBOSE, 1) }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let onBody: curl_write_callback = { bytes, size, count, context in
        let length = size * count
        let bytes = UnsafeRawBufferPointer(start: bytes, count: length)
        return CurlTransfer.from(context)?.received(body: bytes) == true ? length : CurlTransfer.rejection(of: length)
    }

    private static let onHeader: curl_write_callback = { bytes, size, count, context in
        let length = size * count
        let line = UnsafeRawBufferPointer(start: bytes, count: length)
        return CurlTransfer.from(context)?.received(header: line) == true ? length : CurlTransfer.rejection(of: length)
    }

    /// A number other than `length`, which makes libcurl stop the transfer.
    private static func rejection(of length: Int) -> Int {
        length == 0 ? 1 : 0
    }

    private static let onRequest: curl_prereq_callback = { context, address, _, _, _ in
        guard let address, let transfer = CurlTransfer.from(context) else { return CURL_PREREQFUNC_ABORT }
        return transfer.willSend(to: address) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    private static let onConnection: curl_opensocket_callback = { context, _, address in
        guard let address, let transfer = CurlTransfer.from(context), transfer.willConnect(address) else {
            return CURL_SOCKET_BAD
        }
        let descriptor = CurlSocketFactory.open(address.pointee)
        if descriptor < 0 { transfer.couldNotOpenSocket(errno) }
        return descriptor
    }

    private static let onBytes: curl_debug_callback = { _, kind, _, count, context in
        if kind == CURLINFO_DATA_IN { CurlTransfer.from(context)?.received(encodedBytes: count) }
        return 0
    }

    private static let onLookup: curl_resolver_start_callback = { _, _, context in
        CurlTransfer.from(context)?.willResolve() == true ? 0 : 1
    }
}
